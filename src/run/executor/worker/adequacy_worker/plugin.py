"""What pytest loads, named in PYTEST_PLUGINS. PYTEST_DONT_REWRITE

A hot worker serves when all is imported and collected; a warm one at once, before any conftest. A child
goes on from there as if nothing had been, runs pytest's own loop and ends with pytest's own status.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import threading
from typing import Any, List

import pytest

from . import census, hazards
from .serve import Server, flush
from .swap import Refused

ROOT = os.path.realpath(os.getcwd())


def forget() -> Any:
    """Removes what made pytest load this, before a test could see it; gives what we were told."""
    told = json.loads(os.environ.pop("ADEQUACY_SERVE"))
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name, separator, ours in (
        ("PYTHONPATH", os.pathsep, folder),
        ("PYTEST_PLUGINS", ",", __name__),
    ):
        rest = [one for one in os.environ.get(name, "").split(separator) if one != ours]
        if any(rest):
            os.environ[name] = separator.join(rest)
        else:
            os.environ.pop(name, None)
    sys.path[:] = [one for one in sys.path if one != folder]
    sys.path_importer_cache.pop(folder, None)
    return told


TOLD = forget()
SERVER = Server()
WATCH = census.Watch()


def serve_warm() -> None:
    loaded = census.loaded()

    def begin(files: List[str]) -> None:
        for file in files:
            if os.path.realpath(os.path.join(ROOT, file)) in loaded:
                raise Refused("it was loaded before the worker was")

    SERVER.serve(list(hazards.of_process()), TOLD["places"], begin)


def serve_hot(session: Any) -> None:
    # While it is seen what that runs.
    gc.collect()
    lost = WATCH.stop()
    taken = census.Census(ROOT, WATCH)
    found = [lost] if lost else []
    found += list(hazards.of_session(session)) + list(hazards.of_process())
    SERVER.serve(found, TOLD["places"], taken.put_in_place)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: Any) -> None:
    """All is imported and collected by now."""
    if TOLD["tier"] == "hot":
        serve_hot(session)
    end_early(session)
    option = session.config.option
    option.maxfail = 1
    if getattr(option, "tbstyle", "auto") != "no":
        # To lay tracebacks out well costs more than most tests do.
        option.tbstyle = "native"


def note_failure(report: Any) -> None:
    if report.failed and SERVER.note is not None:
        SERVER.note.write("failed", str(report.nodeid)[:500])


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
        status = int(session.exitstatus)
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        flush()
        if SERVER.note is not None:
            SERVER.note.write("ended", status)
        os._exit(status)

    session.config._ensure_unconfigure = end


if TOLD["tier"] == "warm":
    serve_warm()
else:
    WATCH.start()
