"""Stands before two steps of unittest's program, once: before it loads tests and before it runs them.

It knows of that program what is the same from Python 3.8 to 3.14, and loads nothing more than is needed:
where a command is only told to stop early, it is a fresh process like any other.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Callable

# The module of the program, which `python -m unittest` loads before it starts.
PROGRAM = "unittest.main"


class Visitor:
    """What is done at the gate; here, what makes a command stop at its first failing test."""

    def starts(self, program: Any) -> None:
        """No test is loaded yet."""

    def loaded(self, program: Any) -> None:
        """All tests are loaded, none ran."""
        from .unittest_tests import stop_at_first

        stop_at_first(program.test)

    def ends(self, program: Any, status: object) -> None:
        """All that was to run has run, and the program ends with this status."""


class Gate:
    """A finder of modules that finds none, and goes when the program's is loaded."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != PROGRAM:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self.follow(spec.loader)
                return spec
        return None

    def follow(self, loader: Any) -> None:
        usual = loader.exec_module

        def exec_module(module: Any) -> None:
            del loader.exec_module
            usual(module)
            self.stand_before(module.TestProgram)

        loader.exec_module = exec_module

    def stand_before(self, kind: Any) -> None:
        parse: Callable[[Any, Any], None] = kind.parseArgs
        run: Callable[[Any], None] = kind.runTests

        def parse_args(program: Any, argv: Any) -> None:
            kind.parseArgs = parse
            self.visitor.starts(program)
            parse(program, argv)

        def run_tests(program: Any) -> None:
            kind.runTests = run
            self.visitor.loaded(program)
            try:
                run(program)
            except SystemExit as end:
                self.visitor.ends(program, end.code)
                raise

        kind.parseArgs, kind.runTests = parse_args, run_tests


def visitor() -> Visitor:
    """Who was sent, by what the environment says, which is forgotten."""
    served = os.environ.pop("ADEQUACY_SERVE", None)
    report = os.environ.pop("ADEQUACY_PROBE", None)
    fails = os.environ.pop("ADEQUACY_PROBE_FAIL", None)
    folder = os.environ.pop("ADEQUACY_NOTE", None)
    if served is not None:
        from .unittest_loop import Loop

        return Loop(served)
    if report is not None:
        from .unittest_probe import Probe

        return Probe(report, fails is not None)
    if folder is not None:
        from .unittest_noting import Noting

        return Noting(folder)
    return Visitor()


def enter() -> None:
    sys.meta_path.insert(0, Gate(visitor()))  # type: ignore[arg-type]
