"""What pytest loads to note which functions of the tree each test enters, named in PYTEST_PLUGINS. PYTEST_DONT_REWRITE

For a run of the unmutated tree that decides nothing. `question.json` in the folder that ADEQUACY_NOTE names
may hold lines that changed, by file below the tree: then only tests that changed run. One did where a line of
its own did; where a changed line is in no test, all tests of its file did.
"""

from __future__ import annotations

import inspect
import json
import os
import time
from types import CodeType
from typing import Any, Dict, List, Optional, Tuple

import pytest

from . import traces
from .census import Tree, Watch
from .swap import everything, is_function

# By file, first and last line, name: the numbers of the tests that enter it.
Entered = Dict[Tuple[str, int, int, str], List[int]]

Lines = Tuple[int, int]


def forget() -> str:
    """Removes what made pytest load this, before a test could see it; gives the folder of the question."""
    traces.leave_path(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    traces.leave_variable("PYTEST_PLUGINS", ",", __name__)
    return os.environ.pop("ADEQUACY_NOTE")


class Cover:
    """The tests so far, and what each of them entered."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.tests: List[Tuple[str, float]] = []
        self.entered: Entered = {}
        self.known: Dict[int, Tuple[CodeType, Optional[Tuple[str, int, int, str]]]] = {}

    def begins(self, test: str, ran: List[CodeType]) -> None:
        """`ran` is what did so since the last one began."""
        self.add(ran)
        self.tests.append((test, time.process_time()))

    def add(self, ran: List[CodeType]) -> None:
        number = len(self.tests) - 1
        for code in ran if number >= 0 else []:
            place = self.place(code)
            if place is not None:
                self.entered.setdefault(place, []).append(number)

    def place(self, code: CodeType) -> Optional[Tuple[str, int, int, str]]:
        if id(code) not in self.known:
            ours = is_function(code) and self.tree.holds(code)
            self.known[id(code)] = code, self.find(code) if ours else None
        return self.known[id(code)][1]

    def find(self, code: CodeType) -> Tuple[str, int, int, str]:
        from dis import findlinestarts

        lines = (line for one in everything(code) for _, line in findlinestarts(one))
        return self.tree.path(code.co_filename), code.co_firstlineno, max(filter(None, lines), default=0), code.co_name

    def found(self, ran: List[CodeType], lost: Optional[str]) -> Dict[str, Any]:
        """All of it, after the last test."""
        self.add(ran)
        ends = [began for _, began in self.tests[1:]] + [time.process_time()]
        return {
            "lost": lost,
            "tests": [[test, end - began] for (test, began), end in zip(self.tests, ends)],
            "functions": [[*place, ranges(numbers)] for place, numbers in self.entered.items()],
        }


def ranges(numbers: List[int]) -> List[int]:
    """Ascending numbers as ranges: where each begins, and where it has ended."""
    found: List[int] = []
    for number in numbers:
        if found and found[-1] >= number:
            found[-1] = number + 1
        else:
            found += [number, number + 1]
    return found


def lines_of(item: Any) -> Optional[Lines]:
    """The first and last line of a test's function; none where it has no function."""
    try:
        text, first = inspect.getsourcelines(item.function)
    except (AttributeError, OSError, TypeError):
        return None
    return first, first + len(text) - 1


def chosen(items: List[Any], changed: Dict[str, List[Lines]]) -> List[Any]:
    """The tests that changed among these, in their order."""
    by_file: Dict[str, List[Tuple[Any, Optional[Lines]]]] = {}
    for item in items:
        path = TREE.path(str(getattr(item, "path", None) or item.fspath))
        by_file.setdefault(path, []).append((item, lines_of(item)))
    keep = set()
    for path, parts in changed.items():
        here = by_file.get(path, [])
        for first, last in parts:
            meets = [item for item, lines in here if lines and lines[0] <= last and first <= lines[1]]
            keep.update(map(id, meets or [item for item, _ in here]))
    return [item for item in items if id(item) in keep]


PLACE = forget()
with open(os.path.join(PLACE, "question.json"), encoding="utf-8") as file:
    CHANGED = json.load(file)["changed"]
TREE = Tree(os.path.realpath(os.getcwd()))
WATCH, COVER = Watch(), Cover(TREE)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: List[Any]) -> None:
    if CHANGED is not None:
        items[:] = chosen(items, CHANGED)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Any:
    COVER.begins(item.nodeid, WATCH.take())
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    ran = WATCH.take()
    found = COVER.found(ran, WATCH.stop_listening())
    with open(os.path.join(PLACE, "report.json"), "w", encoding="utf-8") as file:
        json.dump(found, file)


WATCH.start()
