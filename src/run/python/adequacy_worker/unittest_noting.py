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
        from .unittest_tests import stand_between

        cover = self.cover = Cover()

        def visit(test: Any, result: Any) -> None:
            if cover.tests:
                cover.ends()
            if test is not None:
                cover.begins(str(test.id()))

        stand_between(program.test, visit)

    def ends(self, program: Any, status: object) -> None:
        if self.cover is not None:
            self.cover.tell(self.folder)
