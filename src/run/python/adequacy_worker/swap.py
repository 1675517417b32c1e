"""Puts the code of a changed source in the place of the old one, in a process that has loaded that.

Sources are compared as trees of code objects: the module, in it classes and functions, in these
others. A function's own code may change; what the module or a class did when it was loaded cannot be
done again, nor can a call that is over. Whatever is not certain is refused.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

# Of a code object that is run as a function; the bodies of modules and classes lack it.
CO_OPTIMIZED = 0x1

# Names one code object of a file: its file, first line and name.
Key = Tuple[str, int, str]


class Refused(Exception):
    """The change cannot be put in place here; the words say why."""


class Late(Refused):
    """The change could be put in place before the first test, and no more here."""


class Pair(NamedTuple):
    """A code object and what it becomes."""

    old: CodeType
    new: CodeType
    # Whether it differs itself, and not only in what is nested in it or in where its lines are.
    own: bool
    # Whether it or what is nested in it does something else; or only its lines moved.
    differs: bool
    # The outermost function that it lies in, or is.
    outermost: CodeType


def key_of(code: CodeType) -> Key:
    return (code.co_filename, code.co_firstlineno, code.co_name)


def is_function(code: CodeType) -> bool:
    return bool(code.co_flags & CO_OPTIMIZED)


def nested(code: CodeType) -> Dict[Tuple[str, int], CodeType]:
    """The code objects in `code`, by name and by number among those of that name."""
    found: Dict[Tuple[str, int], CodeType] = {}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            number = 0
            while (constant.co_name, number) in found:
                number += 1
            found[constant.co_name, number] = constant
    return found


def constant_key(constant: object) -> object:
    """Tells constants apart as the interpreter does not: 1, 1.0 and True are equal there, 0.0 and -0.0 too."""
    if isinstance(constant, CodeType):
        return ("code", constant.co_name)
    if isinstance(constant, tuple):
        return ("tuple", tuple(constant_key(one) for one in constant))
    if isinstance(constant, frozenset):
        return ("frozenset", frozenset(constant_key(one) for one in constant))
    return (type(constant).__name__, repr(constant))


def own_key(code: CodeType) -> object:
    """What a code object does itself, without where its lines are and without what is nested in it."""
    return (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_cellvars,
        code.co_stacksize,
        getattr(code, "co_exceptiontable", b""),
        tuple(constant_key(one) for one in code.co_consts),
    )


def shape(code: CodeType) -> List[Tuple[str, object]]:
    """What callers and live functions rely on, by the word for it."""
    arguments = code.co_argcount + code.co_kwonlyargcount
    return [
        ("free variables", code.co_freevars),
        ("flags", code.co_flags),
        (
            "signature",
            (code.co_posonlyargcount, code.co_argcount, code.co_kwonlyargcount, code.co_varnames[:arguments]),
        ),
    ]


def where(code: CodeType) -> str:
    return "the module" if code.co_name == "<module>" else "`{}`".format(code.co_name)


def pairs(old: CodeType, new: CodeType, outermost: Optional[CodeType] = None) -> Iterator[Pair]:
    """Whatever differs between two trees, outermost first.

    Raises `Refused` where something else than the inside of functions differs.
    """
    if old == new and own_key(old) == own_key(new) and not nested(old):
        return
    for (what, before), (_, after) in zip(shape(old), shape(new)):
        if before != after:
            raise Refused("the {} of {} changed".format(what, where(old)))
    function = is_function(old)
    if function and outermost is None:
        outermost = old
    own = own_key(old) != own_key(new)
    if own and not function:
        raise Refused("the body of {} changed".format(where(old)))
    if own and (old.co_name == "__annotate__" or old.co_name.startswith("<generic parameters")):
        raise Refused("annotations changed")
    before, after = nested(old), nested(new)
    inner = [
        pair
        for name, code in before.items()
        if name in after
        for pair in pairs(code, after[name], outermost)
    ]
    differs = own or any(pair.differs for pair in inner)
    if outermost is not None and (differs or inner or old != new):
        yield Pair(old, new, own, differs, outermost)
    yield from inner


def everything(code: CodeType) -> Iterator[CodeType]:
    """A code object and all that are nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from everything(constant)


class Alive:
    """What is known of the code of this process."""

    def __init__(self) -> None:
        # The live functions by the code they began with.
        self.functions: Dict[Key, List[FunctionType]] = {}
        # Code that ran already.
        self.executed: Dict[Key, None] = {}
        # Code that something else than a function holds.
        self.held: Dict[Key, None] = {}


def plan(old: CodeType, new: CodeType, alive: Alive) -> List[Callable[[], None]]:
    """The steps that put `new` in the place of `old`, which this process has loaded.

    Raises `Refused` where that would not be what loading `new` makes.
    """
    keys = [key_of(code) for code in everything(old)]
    # A copy under another name or line would keep doing what the old source says.
    for known in (alive.functions, alive.executed, alive.held):
        for key in known:
            if key[0] == old.co_filename and key not in keys:
                raise Refused("`{}` is code that its source does not have".format(key[2]))
    steps: List[Callable[[], None]] = []
    for pair in pairs(old, new):
        key = key_of(pair.old)
        live = alive.functions.get(key, [])
        if not pair.differs:
            steps += [step(one, pair) for one in live if one.__code__ == pair.old]
            continue
        if keys.count(key) > 1:
            raise Refused("{} on one line with another of its name".format(where(pair.old)))
        if pair.own and key in alive.executed:
            raise Refused("{} ran before the tests".format(where(pair.old)))
        if key in alive.held:
            raise Refused("the code of {} is held by something else".format(where(pair.old)))
        if key_of(pair.outermost) not in alive.functions:
            raise Refused("{} is no function any more".format(where(pair.outermost)))
        steps += [step(one, pair) for one in live]
    return steps


def step(function: FunctionType, pair: Pair) -> Callable[[], None]:
    if function.__code__ != pair.old:
        raise Refused("{} was loaded with other code than its source's".format(where(pair.old)))
    docstring = pair.old.co_consts[0] if pair.old.co_consts else None
    if isinstance(docstring, str) and function.__doc__ == docstring and pair.new.co_consts[0] != docstring:
        raise Refused("the docstring of {} changed".format(where(pair.old)))
    return lambda: setattr(function, "__code__", pair.new)
