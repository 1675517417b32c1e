"""Notes which functions of the tree each test of `python -m unittest` enters."""

from __future__ import annotations

from typing import Any, Optional

from .cover import Cover
from .unittest_gate import Visitor


class Noting(Visitor):
    """Looks on while nothing is judged; `folder` is where it tells."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.cover: Optional[Cover] = None

    def loaded(self, program: Any) -> None:
        import unittest

        cover = self.cover = Cover()
        start, stop = unittest.TestResult.startTest, unittest.TestResult.stopTest

        def begins(result: Any, test: Any) -> None:
            cover.begins(str(test.id()))
            start(result, test)

        def ends(result: Any, test: Any) -> None:
            stop(result, test)
            cover.ends()

        unittest.TestResult.startTest = begins  # type: ignore[method-assign]
        unittest.TestResult.stopTest = ends  # type: ignore[method-assign]

    def ends(self, program: Any, status: object) -> None:
        if self.cover is not None:
            self.cover.tell(self.folder)
