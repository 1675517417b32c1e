"""What pytest loads to note which functions of the tree each test enters, named in PYTEST_PLUGINS. PYTEST_DONT_REWRITE

For a run of the unmutated tree that decides nothing. `question.json` in the folder that ADEQUACY_NOTE names
may hold lines that changed, by file below the tree: then only tests that changed run. One did where a line of
its own did; where a changed line is in no test, all tests of its file did.
"""

from __future__ import annotations

import inspect
import json
import os
from typing import Any, Dict, List, Optional, Tuple

import pytest

from . import traces
from .cover import Cover

Lines = Tuple[int, int]


def forget() -> str:
    """Removes what made pytest load this, before a test could see it; gives the folder of the question."""
    traces.leave_path(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    traces.leave_variable("PYTEST_PLUGINS", ",", __name__)
    return os.environ.pop("ADEQUACY_NOTE")


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
        path = COVER[0].tree.path(str(getattr(item, "path", None) or item.fspath))
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
COVER: List[Cover] = []


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: List[Any]) -> None:
    """All tests are loaded by now."""
    COVER.append(Cover())
    if CHANGED is not None:
        items[:] = chosen(items, CHANGED)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Any:
    COVER[0].begins(item.nodeid)
    yield
    COVER[0].ends()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    for cover in COVER:
        cover.tell(PLACE)
