"""Says of each mutant whether it compiles, and whether its code equals another's.

Reads on stdin, for each file, one JSON line {"path", "source", "mutants": [[start, end, text, undone]]}
with bytes in base64; writes one JSON line a file, a verdict a mutant: 0 counts, 1 compiles to the
original's code, [n] to that of mutant n of the same file, a string is the compiler's refusal. A
file that does not compile as it is gets that refusal alone, for all its mutants. A mutant that is
"undone", a piece of an earlier text, need only parse, and is compared by its syntax without
docstrings and positions.
Runs on Python 3.6 and newer, isolated (-I), and imports nothing of the tree.
"""
import __future__
import ast
import base64
import dis
import json
import sys
import warnings

REFUSALS = (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError, SystemError)
FUTURE = 0
for feature in __future__.all_feature_names:
    FUTURE |= getattr(__future__, feature).compiler_flag


def build(source, path, flags=0):
    return compile(source, path, "exec", flags=flags, dont_inherit=True)


def line_table(code):
    if hasattr(code, "co_lines"):
        return tuple(code.co_lines())
    return tuple(dis.findlinestarts(code))


def shape(value):
    """What can be told apart at run time: everything but columns."""
    if hasattr(value, "co_code"):
        return (
            value.co_name, getattr(value, "co_qualname", ""), value.co_flags, value.co_argcount,
            getattr(value, "co_posonlyargcount", 0), value.co_kwonlyargcount, value.co_code,
            value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars,
            getattr(value, "co_exceptiontable", b""), value.co_firstlineno, line_table(value),
            tuple(shape(item) for item in value.co_consts),
        )
    if isinstance(value, tuple):
        return ("tuple",) + tuple(shape(item) for item in value)
    if isinstance(value, frozenset):
        return ("frozenset",) + tuple(sorted((shape(item) for item in value), key=repr))
    return (type(value).__name__, repr(value))


class File:
    """A source whose mutants are compiled a top-level statement at a time, where that is exact."""

    def __init__(self, path, source):
        self.path = path
        self.source = source
        self.parts = []
        self.codes = {}
        self.trees = None
        self.flags = build(source, path).co_flags & FUTURE
        try:
            self.parts = self.split()
        except REFUSALS:
            pass

    def split(self):
        """Byte ranges of whole lines that hold top-level statements; none where that is unsure."""
        source = self.source
        cookie = source[:200].lower()
        if b"coding" in cookie or b"\r" in source.replace(b"\r\n", b"") or b"\f" in source:
            return []
        starts = [0]
        for line in source.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        ranges = []
        for node in ast.parse(source, self.path).body[1:]:
            if not hasattr(node, "end_lineno"):
                return []
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
            begin, end = starts[first - 1], min(starts[node.end_lineno], len(source))
            if ranges and begin < ranges[-1][1]:
                ranges[-1][1] = end
            else:
                ranges.append([begin, end, first])
        return ranges

    def part(self, start, end, text):
        if text.count(b"\n") != self.source.count(b"\n", start, end):
            return 0, len(self.source), 1  # the lines of later statements move
        for begin, finish, first in self.parts:
            if begin <= start and end < finish:
                return begin, finish, first
        return 0, len(self.source), 1

    def seen(self, part):
        """The codes met in a part; none when its text does not compile away from its file."""
        if part not in self.codes:
            try:
                self.codes[part] = {self.code(part, part[0], part[0], b""): 1}
            except REFUSALS:
                self.codes[part] = None
        return self.codes[part]

    def undone(self, place, start, end, text):
        """The verdict on a piece of an earlier text."""
        if self.trees is None:
            self.trees = {syntax(self.source): 1}
        tree = syntax(self.source[:start] + text + self.source[end:])
        earlier = self.trees.get(tree, 0)
        self.trees.setdefault(tree, [place])
        return earlier

    def code(self, part, start, end, text):
        begin, finish, first = part
        piece = self.source[begin:start] + text + self.source[end:finish]
        flags = self.flags if begin else 0
        return shape(build(b"\n" * (first - 1) + piece, self.path, flags))


def syntax(source):
    """The syntax of a source without docstrings and positions."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def refusal(error):
    return "%s: %s" % (type(error).__name__, error)


def judge(path, source, mutants):
    try:
        file = File(path, source)
    except REFUSALS as error:
        return refusal(error)
    verdicts = []
    for place, (start, end, text, undone) in enumerate(mutants):
        part = file.part(start, end, text)
        if file.seen(part) is None:
            part = 0, len(source), 1
        verdict = None
        if undone:
            try:
                verdict = file.undone(place, start, end, text)
            except (SyntaxError, ValueError) as error:
                verdict = refusal(error)
            except REFUSALS:
                verdict = 0  # it cannot be compared, so it counts
        try:
            code = file.code(part, start, end, text)
        except REFUSALS as error:
            verdicts.append(refusal(error) if verdict is None else verdict)
            continue
        verdicts.append(file.seen(part).get(code, 0) if verdict is None else verdict)
        file.seen(part).setdefault(code, [place])
    return verdicts


def main():
    warnings.simplefilter("ignore")
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)  # constants are compared by their digits
    out = sys.stdout
    json.dump({"version": sys.version, "executable": sys.executable}, out)
    out.write("\n")
    out.flush()
    for line in sys.stdin:
        work = json.loads(line)
        decode = base64.b64decode
        mutants = [(start, end, decode(text), undone) for start, end, text, undone in work["mutants"]]
        json.dump(judge(work["path"], decode(work["source"]), mutants), out)
        out.write("\n")
        out.flush()


main()
