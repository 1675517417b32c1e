"""Random Python projects: a package that computes things in the ways that a warm process could get wrong,
and tests of it with gaps. The same seed makes the same project with the same interpreter.

Every module is a list of pieces. A piece is the text of some definitions and the expressions that tests may
ask; what each is on the original is learnt by running the tests once.
"""

import random
import subprocess

PIECES = []

# The lines that open every module of a package.
IMPORTS = "from enum import Enum\nfrom functools import lru_cache\nfrom types import FunctionType\n"


def piece(function):
    """Registers a way to make a piece: given a source of chance, a free name and the functions of one
    argument that are there already, the text and the expressions."""
    PIECES.append(function)
    return function


def number(chance):
    return chance.randint(1, 12)


def formula(chance, names, depth=2):
    """An expression of whole numbers that cannot fail and stays small."""
    if depth == 0 or depth == 1 and chance.random() < 0.2:
        return chance.choice([*names, *names, str(number(chance))])
    left, right = (formula(chance, names, depth - 1) for _ in range(2))
    kind = chance.randrange(5)
    if kind == 0:
        return f"({left} {chance.choice(['%', '//'])} {number(chance)})"
    if kind == 1:
        test = f"{left} {chance.choice(['<', '>', '==', '>='])} {number(chance)}"
        return f"({left} if {test} else {right})"
    if kind == 2:
        return f"{chance.choice(['min', 'max'])}({left}, {right})"
    return f"({left} {chance.choice('+-*')} {right})"


@piece
def branches(chance, name, known):
    text = (f"def {name}(a, b={number(chance)}):\n    if a > {number(chance)}:\n"
            f"        return {formula(chance, 'ab')}\n    for turn in range({chance.randint(1, 4)}):\n"
            f"        b += {formula(chance, ['a', 'turn'], 1)}\n    return {formula(chance, 'ab', 1)}\n")
    known.append(name)
    return text, [f"{name}({number(chance)})", f"{name}({number(chance)}, {number(chance)})"]


@piece
def constant(chance, name, known):
    source = chance.choice(known or ["abs"])
    text = (f"{name}_ONE = {source}({number(chance)})\n"
            f"{name}_MANY = tuple({source}(n) for n in range({chance.randint(2, 5)}))\n")
    return text, [f"{name}_ONE", f"sum({name}_MANY)", f"len({name}_MANY)"]


@piece
def cache(chance, name, known):
    text = f"@lru_cache(maxsize=None)\ndef {name}(a):\n    return {formula(chance, 'a')}\n"
    if chance.random() < 0.6:
        text += f"\n\n{name}_FULL = [{name}(n) for n in range({chance.randint(2, 6)})]\n"
    known.append(name)
    return text, [f"{name}({n})" for n in (1, 3, 7)]


@piece
def closure(chance, name, _):
    text = (f"def {name}(step):\n    total = {number(chance)}\n\n    def bump(by={number(chance)}):\n"
            f"        nonlocal total\n        total += {formula(chance, ['step', 'by'], 1)}\n"
            f"        return total\n\n    return bump\n\n\n{name}_BUMP = {name}({number(chance)})\n")
    return text, [f"{name}_BUMP()", f"{name}_BUMP({number(chance)})", f"{name}({number(chance)})()"]


@piece
def classes(chance, name, _):
    text = (f"class {name}:\n    size = {number(chance)}\n\n"
            f"    def __init_subclass__(cls, weight={number(chance)}):\n"
            f"        cls.weight = {formula(chance, ['weight'], 1)}\n\n"
            f"    def __init__(self, a):\n        self.a = a + {number(chance)}\n\n"
            f"    def method(self, b):\n        return {formula(chance, ['self.a', 'b', 'self.size'])}\n\n"
            f"    @property\n    def double(self):\n        return self.a * {number(chance)}\n\n"
            f"    @staticmethod\n    def static(a):\n        return {formula(chance, 'a', 1)}\n\n"
            f"    @classmethod\n    def named(cls):\n        return cls.size + {number(chance)}\n\n\n"
            f"class {name}_Sub({name}, weight={number(chance)}):\n    size = {name}.static({number(chance)})\n")
    return text, [f"{name}(2).method(3)", f"{name}(5).double", f"{name}_Sub(1).method(4)",
                  f"{name}_Sub.weight", f"{name}_Sub.named()", f"{name}.static(6)"]


@piece
def generator(chance, name, _):
    text = (f"def {name}(a):\n    yield {formula(chance, 'a', 1)}\n"
            f"    for turn in range({chance.randint(2, 4)}):\n"
            f"        yield {formula(chance, ['a', 'turn'], 1)}\n\n\n"
            f"{name}_LIVE = {name}({number(chance)})\nnext({name}_LIVE)\n")
    return text, [f"list({name}({number(chance)}))", f"next({name}_LIVE)"]


@piece
def registry(chance, name, known):
    text = (f"{name}_ALL = {{}}\n\n\ndef {name}(weight):\n    def wrap(function):\n"
            f"        {name}_ALL[function.__name__] = {formula(chance, ['weight'], 1)}\n"
            f"        return function\n\n    return wrap\n\n\n@{name}({number(chance)})\n"
            f"def {name}_entry(a):\n    return {formula(chance, 'a')}\n")
    known.append(f"{name}_entry")
    return text, [f"sorted({name}_ALL.items())", f"{name}_entry({number(chance)})"]


@piece
def memo(chance, name, _):
    text = (f"{name}_MEMO = {{}}\n\n\ndef {name}(key):\n    if key not in {name}_MEMO:\n"
            f"        {name}_MEMO[key] = {formula(chance, ['key'], 1)}\n    return key\n")
    return text, [f"{name}(4)", f"sorted({name}_MEMO.items())", f"{name}(5)", f"{name}_MEMO.get(5)"]


@piece
def levels(chance, name, known):
    source = chance.choice(known or ["abs"])
    text = (f"class {name}(Enum):\n    LOW = {number(chance)}\n    HIGH = {source}({number(chance)}) + 100\n\n"
            f"    def next(self):\n        return self.value + {number(chance)}\n")
    return text, [f"{name}.LOW.value", f"{name}.HIGH.next()"]


@piece
def recursion(chance, name, known):
    text = (f"def {name}(n):\n    if n <= {chance.randint(0, 3)}:\n        return {number(chance)}\n"
            f"    return {name}(n - 1) + {formula(chance, 'n', 1)}\n")
    known.append(name)
    return text, [f"{name}({n})" for n in (0, 3, 6)]


@piece
def held(chance, name, _):
    text = (f"def {name}(a):\n    return {formula(chance, 'a')}\n\n\n{name}_CODE = {name}.__code__\n"
            f"{name}_COPY = FunctionType({name}.__code__.replace(co_name='copy'), globals())\n")
    return text, [f"FunctionType({name}_CODE, {{'min': min, 'max': max}})(3)", f"{name}_COPY(8)", f"{name}(8)"]


@piece
def refusal(chance, name, _):
    text = (f"def {name}(a):\n    if a > {number(chance)}:\n        raise ValueError({formula(chance, 'a', 1)})\n"
            f"    try:\n        return {number(chance)} // (a - {number(chance)})\n"
            f"    except ZeroDivisionError:\n        return {number(chance)}\n")
    return text, [f"caught({name}, {n})" for n in (2, 6, 20)]


HELPER = '''

def caught(function, *arguments):
    """What a call gives, or the type and words of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
'''


def module(chance, name, earlier, known):
    """The text of a module, and its expressions, each by names that a test has once it imports all."""
    text = IMPORTS + "".join(f"from made.{each} import *\n" for each in earlier)
    asked = []
    for turn, make in enumerate(chance.sample(PIECES, 4)):
        part, expressions = make(chance, f"{name}_{make.__name__}{turn}", known)
        text += f"\n\n{part}"
        asked += expressions
    return text, asked


def case(chance, asked, at):
    """The test of an expression, exact or weak, or None: a gap. `EXPECTED[at]` is what the expression
    gives on the original."""
    weak, exact = "!= 'an error'", f"== EXPECTED[{at}]"
    kind = chance.random()
    if kind < 0.25:
        return None
    if kind < 0.35:
        return f"def test_{at}():\n    assert ({asked}) {weak}\n"
    if kind < 0.45:
        return (f"@pytest.mark.parametrize('value', [{asked}], ids=str)\n"
                f"def test_{at}(value):\n    assert value {exact}\n")
    if kind < 0.6:
        return (f"@pytest.fixture(scope='module')\ndef value_{at}():\n    return {asked}\n\n\n"
                f"def test_{at}_made(value_{at}):\n    assert value_{at} {weak}\n\n\n"
                f"def test_{at}_asked(value_{at}):\n    assert value_{at} {exact}\n")
    return f"def test_{at}():\n    assert ({asked}) {exact}\n"


def unit(chance, asked, at):
    """The same as a class for unittest."""
    head = f"class Test{at}(unittest.TestCase):\n"
    equal = f"self.assertEqual({{}}, EXPECTED[{at}])\n"
    kind = chance.random()
    if kind < 0.25:
        return None
    if kind < 0.35:
        return f"{head}    def test(self):\n        self.assertNotEqual({asked}, 'an error')\n"
    if kind < 0.45:
        return (f"{head}    def test(self):\n        with self.subTest('it'):\n            "
                + equal.format(asked))
    if kind < 0.6:
        return (f"{head}    @classmethod\n    def setUpClass(cls):\n        cls.value = {asked}\n\n"
                f"    def test_asked(self):\n        {equal.format('self.value')}\n"
                f"    def test_made(self):\n        self.assertNotEqual(self.value, 'an error')\n")
    return f"{head}    def test(self):\n        {equal.format(asked)}"


# By runner: what a file of tests imports, how a test is made of an expression, and the words after `python -m`.
RUNNERS = {
    "pytest": ("pytest", case, ["pytest", "-q", "-p", "no:cacheprovider", "-o", "pythonpath=. tests", "tests"]),
    "unittest": ("unittest", unit, ["unittest", "discover", "-s", "tests"]),
}


def suite(chance, tree, names, asked, runner):
    """Writes the tests, one file a module, and what each expression is on the original."""
    at = 0
    imported, make, _ = RUNNERS[runner]
    for name in names:
        text = (f"from types import FunctionType\n\nimport {imported}\nfrom helper import EXPECTED, caught, plain\n"
                + "".join(f"from made.{each} import *\n" for each in names))
        for expression in asked[name]:
            test = make(chance, f"plain({expression})", at)
            text += f"\n\n{test}" if test else ""
            at += 1
        (tree / f"tests/test_{name}.py").write_text(text)


def evaluate(python, tree, runner):
    """Runs the tests once with an `EXPECTED` that learns: afterwards each expression that is compared
    has the value that it has on the original, at the place in the run where it is asked."""
    done = subprocess.run([python, "-m", *RUNNERS[runner][2]], cwd=tree, env={"LEARN": "1", "PYTHONHASHSEED": "0",
                          "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the project does not pass its own tests:\n{done.stdout}{done.stderr}")


LEARNING = '''"""What the tests share."""

import atexit
import json
import os
from pathlib import Path

FILE = Path(__file__).with_name("expected.json")


class Learning(dict):
    """Equals whatever it is compared with first, and keeps that."""

    def __missing__(self, at):
        outer = self

        class Any:
            def __eq__(self, other):
                outer[at] = other
                return True

        return Any()


def plain(value):
    """Tuples become lists, as in JSON."""
    return json.loads(json.dumps(value))


if "LEARN" in os.environ:
    EXPECTED = Learning()
    atexit.register(lambda: FILE.write_text(json.dumps(EXPECTED)))
else:
    EXPECTED = {int(at): value for at, value in json.loads(FILE.read_text()).items()}
'''


def write(tree, seed, python, runner):
    """Makes the project of a seed below `tree`, which must not be there; `python` runs its tests once."""
    chance = random.Random(seed)
    (tree / "made").mkdir(parents=True)
    (tree / "tests").mkdir()
    (tree / "made/__init__.py").write_text("")
    (tree / "tests/helper.py").write_text(LEARNING + HELPER)
    names, asked, known = [], {}, []
    for name in ("first", "second", "third"):
        text, asked[name] = module(chance, name, names, known)
        (tree / f"made/{name}.py").write_text(text)
        names.append(name)
    suite(chance, tree, names, asked, runner)
    evaluate(python, tree, runner)
