"""The worker that is a process of `python -m unittest`.

A hot worker serves when all tests are loaded, or sends a child on that serves among them; a warm one before any
is loaded. A child goes on from there as if
nothing had been, has unittest's own runner run them, and ends with unittest's own status.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import PathFinder
from typing import Any, Iterator, List, Set

from . import census
from .course import Course
from .serve import Server
from .tiers import serve_hot, serve_warm
from .unittest_gate import Visitor
from .unittest_probe import altered, is_unittest, objections


class Loop(Visitor):
    """Serves at one of two steps of the program; what follows them happens in children."""

    def __init__(self, told: str) -> None:
        self.told = json.loads(told)
        self.root = os.path.realpath(os.getcwd())
        self.server = Server()
        # Where the program runs from is not on the path yet: these are the interpreter's.
        self.ours = names_of_modules()
        self.watch = census.Watch()
        self.course = Course(self.watch)
        if self.is_hot():
            self.watch.start()

    def is_hot(self) -> bool:
        return bool(self.told["tier"] == "hot")

    def starts(self, program: Any) -> None:
        if not self.is_hot():
            found = list(self.shadowed())
            if not is_unittest(sys.modules.get("__main__")):
                found.insert(0, "the program that runs is not unittest itself")
            serve_warm(self.server, self.root, found, self.told["places"])

    def loaded(self, program: Any) -> None:
        found = list(objections(program))
        if self.is_hot():
            from .unittest_tests import stand_between

            self.serve_here(found)
            stand_between(program.test, self.visit)
        else:
            found += self.shadowed()
            if found and self.server.note is not None:
                self.server.note.write("refused", found[0])
                os._exit(0)
        super().loaded(program)

    def serve_here(self, found: List[str]) -> None:
        """Before the first test, or before a later one; `found` is what stands against it already."""
        found, places = found + list(self.shadowed()), self.told["places"]
        taken = serve_hot(self.server, self.root, self.watch, found, places, self.course.census)
        self.course.follow(self.server.request, taken)

    def visit(self, test: Any, result: Any) -> None:
        """Between the tests."""
        self.note_failure(result)
        if self.course.stops():
            self.serve_here(list(altered()))
        if self.course.at == self.course.until:
            result.stop()  # once this one has run

    def note_failure(self, result: Any) -> None:
        failed = failures(result)
        if failed and self.server.note is not None:
            self.server.note.write("failed", failed[0][:500])
            self.server.note.write("failed_at", self.course.at)

    def ends(self, program: Any, status: object) -> None:
        result = getattr(program, "result", None)
        if result is None:
            return  # something in the tests ended it
        self.note_failure(result)
        if isinstance(status, int):
            self.server.end(int(status))

    def shadowed(self) -> Iterator[str]:
        """What we loaded of the standard library, that tests would find elsewhere."""
        for name in sorted(self.ours):
            spec = getattr(sys.modules.get(name), "__spec__", None)
            found = PathFinder.find_spec(name)
            if spec is not None and found is not None and found.origin != spec.origin:
                if spec.origin not in ("built-in", "frozen"):
                    yield "`{}` is not the standard library's".format(name)


def names_of_modules() -> Set[str]:
    return {name for name in sys.modules if "." not in name}


def failures(result: Any) -> List[str]:
    """The tests that make a run a failed one, by name."""
    tests = [test for test, _ in result.errors + result.failures] + result.unexpectedSuccesses
    return [str(test.id()) for test in tests]
