"""The tests of a program of unittest, as its suites come to them."""

from __future__ import annotations

import unittest
from typing import Any, Callable, Iterator, Optional

# What is done before a test, which is told, and the result of all so far; after the last one, with none.
Visit = Callable[[Optional[Any], Any], None]


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


def visit_in(suite: Any, visit: Visit) -> None:
    usual = suite._tearDownPreviousClass

    def before(test: Optional[Any], result: Any) -> None:
        visit(test, result)
        usual(test, result)

    # Each suite asks it first, and the outermost once more at its end.
    suite._tearDownPreviousClass = before
