"""The tests of a program of unittest, as its suites come to them."""

from __future__ import annotations

import unittest
from typing import Any, Callable, Iterator, Optional

# What is done before a test, which is told, and the result of all so far; after the last one, with none.
Visit = Callable[[Optional[Any], Any], None]

# What a result is told of a test that makes the run a failed one.
FAILING = ("addError", "addFailure", "addSubTest", "addUnexpectedSuccess")


def parts(loaded: Any) -> Iterator[Any]:
    """All suites and tests of a suite, itself the first; tests that ran are gone."""
    todo = [loaded]
    while todo:
        one = todo.pop()
        if one is not None:
            yield one
        if isinstance(one, unittest.BaseTestSuite):
            todo += list(one)


def stand_between(loaded: Any, visit: Visit) -> None:
    """Visits before each test of a suite, and before any fixture of its class or module, or of those that
    end, runs.
    """
    for one in parts(loaded):
        if isinstance(one, unittest.TestSuite):
            visit_in(one, visit)


def stop_at_first(loaded: Any) -> None:
    """Has nothing run behind the first test that fails. With `failfast` a subtest that is skipped would end its
    test, whose other subtests may fail.
    """
    stopping = []

    def visit(test: Optional[Any], result: Any) -> None:
        if not stopping:
            stopping.append(result)
            for name in FAILING:
                stop_after(result, name)

    stand_between(loaded, visit)


def stop_after(result: Any, name: str) -> None:
    usual = getattr(result, name)

    def failed(test: Any, *more: Any) -> None:
        usual(test, *more)
        # A subtest is told of that passes, too.
        if name != "addSubTest" or more[1] is not None:
            result.stop()

    setattr(result, name, failed)


def visit_in(suite: Any, visit: Visit) -> None:
    usual = suite._tearDownPreviousClass

    def before(test: Optional[Any], result: Any) -> None:
        visit(test, result)
        usual(test, result)

    # Each suite asks it first, and the outermost once more at its end.
    suite._tearDownPreviousClass = before
