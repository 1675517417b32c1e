"""Tells whether anything but unittest itself stands between a failing test and the exit status.

In two runs of the unmutated tree that decide nothing else, it writes one JSON object to a file of ours; in
the second every test fails.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Iterator, List, Tuple

from .unittest_gate import Visitor

# What of unittest's own decides what runs after a failure, and the status: module, class, methods.
DECIDES = (
    ("main", "TestProgram", ("runTests",)),
    ("runner", "TextTestRunner", ("__init__", "run", "_makeResult")),
    (
        "runner",
        "TextTestResult",
        (
            "addError",
            "addExpectedFailure",
            "addFailure",
            "addSkip",
            "addSubTest",
            "addSuccess",
            "addUnexpectedSuccess",
            "startTest",
            "stop",
            "stopTest",
            "wasSuccessful",
        ),
    ),
    ("suite", "TestSuite", ("__call__", "__iter__", "run")),
    ("case", "TestCase", ("__call__", "_callTestMethod", "run")),
)

# The same of what was loaded: of suites and of tests.
OF_SUITES = ("__call__", "__iter__", "run")
OF_TESTS = ("__call__", "_callTestMethod", "run")


class Probe(Visitor):
    """Looks on while nothing is judged."""

    def __init__(self, report: str, fails: bool) -> None:
        self.report = report
        self.fails = fails

    def loaded(self, program: Any) -> None:
        import json

        found = {"objections": list(objections(program))[:9], "tests": program.test.countTestCases()}
        with open(self.report, "w", encoding="utf-8") as file:
            json.dump(found, file)
        if self.fails:
            fail_all()
        super().loaded(program)


def fail_all() -> None:
    """Makes every test fail in its own place."""
    import unittest

    def fail(test: Any, *_: Any) -> None:
        raise AssertionError("asked to fail: {}".format(test.id()))

    for kind in (unittest.TestCase, unittest.IsolatedAsyncioTestCase):
        kind._callTestMethod = fail  # type: ignore[attr-defined]


def objections(program: Any) -> Iterator[str]:
    """What could make another status of a run in which a test failed, or go on differently after that; asked
    when all tests are loaded.
    """
    import unittest

    if unittest.__file__ != os.path.join(os.path.dirname(os.__file__), "unittest", "__init__.py"):
        yield "its unittest is not the interpreter's"
    if program.testRunner is not None or type(program) is not unittest.main:
        yield "it has a test runner of its own"
    yield from altered()
    for kind, methods in kinds(program.test):
        yield from foreign(kind, methods)


def altered() -> Iterator[str]:
    """The same of unittest itself, which a test may alter too."""
    import unittest

    if not is_unittest(sys.modules.get("__main__")):
        yield "the program that runs is not unittest itself"
    if unittest.TextTestRunner.resultclass is not unittest.TextTestResult:
        yield "`TextTestRunner.resultclass` is not unittest's own"
    for module, name, methods in DECIDES:
        kind = getattr(sys.modules["unittest." + module], name, None)
        yield from foreign(kind, methods)


def is_unittest(main: Any) -> bool:
    """Whether nothing but unittest's own program stands between its status and the process's."""
    return getattr(getattr(main, "__spec__", None), "name", None) == "unittest.__main__"


def foreign(kind: Any, methods: Tuple[str, ...]) -> Iterator[str]:
    """Those of the methods of a class that are not unittest's own."""
    own = os.path.dirname(sys.modules["unittest"].__file__ or "")
    for method in methods:
        code = getattr(getattr(kind, method, None), "__code__", None)
        if code is None or os.path.dirname(code.co_filename) != own:
            yield "`{}.{}` is not unittest's own".format(getattr(kind, "__name__", kind), method)


def kinds(loaded: Any) -> List[Tuple[Any, Tuple[str, ...]]]:
    """The classes of all suites and tests that were loaded, and what they must not do in their own way."""
    import unittest

    from .unittest_tests import parts

    found = {}
    for one in parts(loaded):
        found[type(one)] = OF_SUITES if isinstance(one, unittest.BaseTestSuite) else OF_TESTS
    return sorted(found.items(), key=lambda item: item[0].__qualname__)
