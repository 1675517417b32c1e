"""Runs the changed tests alone and tells which functions of the tree they enter.

Loaded with `-p` into a run of the unmutated tree that decides nothing. `question.json` beside it holds
the tree's path and, by file below it, the first and last of lines that changed; a test is changed where
one of its own lines is, and all tests of a file are where a changed line is in none of them. Writes one JSON
object to `report.json` beside it. Removes its own traces before a test could see them.
"""

import inspect
import json
import os
import sys
import threading

import pytest
from adequacy_traces import leave_path

PLACE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(PLACE, "question.json"), encoding="utf-8") as file:
    QUESTION = json.load(file)
ROOT = os.path.realpath(QUESTION["root"])

watched = []
entered = {}


def lines_of(item):
    """The first and last line of a test's function; none where it has no function."""
    try:
        text, first = inspect.getsourcelines(item.function)
    except (AttributeError, OSError, TypeError):
        return None
    return first, first + len(text) - 1


def path_of(item):
    """The file of a test, below the tree."""
    path = getattr(item, "path", None) or item.fspath
    return os.path.relpath(os.path.realpath(str(path)), ROOT)


def chosen(items):
    """The changed tests among these."""
    by_file = {}
    for item in items:
        by_file.setdefault(path_of(item), []).append((item, lines_of(item)))
    found = []
    for path, changed in QUESTION["changed"].items():
        here = by_file.get(path, [])
        touched = set()
        for first, last in changed:
            meets = [at for at, (_, lines) in enumerate(here) if lines and lines[0] <= last and first <= lines[1]]
            touched.update(meets or range(len(here)))
        found += [here[at][0] for at in touched]
    keep = set(map(id, found))
    return [item for item in items if id(item) in keep]


def note(frame, event, _):
    """Remembers a function that is entered; bodies of modules and classes are none."""
    if event == "call" and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        entered[frame.f_code] = True


def last_line(code):
    """The last line of a function, with the functions in it."""
    inner = [last_line(one) for one in code.co_consts if inspect.iscode(one)]
    if hasattr(code, "co_lines"):
        own = [line for _, _, line in code.co_lines() if line]
    else:
        import dis
        own = [line for _, line in dis.findlinestarts(code)]
    return max([code.co_firstlineno, *own, *inner])


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Leaves the changed tests alone."""
    items[:] = chosen(items)
    watched[:] = items


def pytest_runtest_logstart():
    """Before the fixtures of a test."""
    threading.setprofile(note)
    sys.setprofile(note)


def pytest_runtest_logfinish():
    """After them."""
    sys.setprofile(None)
    threading.setprofile(None)


def pytest_sessionfinish():
    """Writes what was found."""
    below = ROOT + os.sep
    places = ((os.path.realpath(code.co_filename), code) for code in list(entered))
    functions = [[path, code.co_firstlineno, last_line(code)] for path, code in places if path.startswith(below)]
    with open(os.path.join(PLACE, "report.json"), "w", encoding="utf-8") as file:
        json.dump({"tests": len(watched), "functions": functions}, file)


leave_path(PLACE)
