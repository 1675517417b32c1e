"""What pytest loads, named in PYTEST_PLUGINS. PYTEST_DONT_REWRITE

A hot worker serves when all is imported and collected; a warm one at once, before any conftest. A child
goes on from there as if nothing had been, runs pytest's own loop and ends with pytest's own status.
"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from . import census, hazards, traces
from .course import Course
from .serve import Server
from .tiers import serve_hot, serve_warm

ROOT = os.path.realpath(os.getcwd())


def forget() -> Any:
    """Removes what made pytest load this, before a test could see it; gives what we were told."""
    traces.leave_path(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    traces.leave_variable("PYTEST_PLUGINS", ",", __name__)
    return json.loads(os.environ.pop("ADEQUACY_SERVE"))


TOLD = forget()
SERVER = Server()
WATCH = census.Watch()
COURSE = Course(WATCH)


def serve_here(session: Any) -> None:
    """Before the first test, or before a later one."""
    found, places = list(hazards.of_session(session)), TOLD["places"]
    taken = serve_hot(SERVER, ROOT, WATCH, found, places, COURSE.census)
    COURSE.follow(SERVER.request, taken)
    if COURSE.until is not None:
        del session.items[COURSE.until + 1 :]


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtestloop(session: Any) -> Any:
    """All is imported and collected by now."""
    if TOLD["tier"] == "hot":
        serve_here(session)
    stop_at_first(session)
    yield
    if COURSE.stops():
        serve_here(session)


def stop_at_first(session: Any) -> None:
    end_early(session)
    option = session.config.option
    option.maxfail = 1
    if getattr(option, "tbstyle", "auto") != "no":
        # To lay tracebacks out well costs more than most tests do.
        option.tbstyle = "native"


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Any:
    if COURSE.stops():
        serve_here(item.session)
    yield


def note_failure(report: Any) -> None:
    if report.failed and SERVER.note is not None:
        SERVER.note.write("failed", str(report.nodeid)[:500])
        SERVER.note.write("failed_at", COURSE.at)


def pytest_collectreport(report: Any) -> None:
    note_failure(report)


def pytest_runtest_logreport(report: Any) -> None:
    note_failure(report)


def end_early(session: Any) -> None:
    """Makes a child end as the interpreter would, but for taking everything apart, when pytest has done
    all that its status can come from. Where that raises, the interpreter ends by itself, and we say nothing.
    """
    undo = session.config._ensure_unconfigure

    def end() -> None:
        undo()
        SERVER.end(int(session.exitstatus))

    session.config._ensure_unconfigure = end


if TOLD["tier"] == "warm":
    serve_warm(SERVER, ROOT, list(hazards.of_program()), TOLD["places"])
else:
    WATCH.start()
