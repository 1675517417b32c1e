"""Which functions of the tree each test enters, as a run of the unmutated tree goes on that decides nothing."""

from __future__ import annotations

import json
import os
import time
from types import CodeType
from typing import Dict, List, Optional, Tuple

from .census import Tree, Watch
from .swap import everything, is_function

# By file, first and last line, name: the numbers of the tests that enter it.
Entered = Dict[Tuple[str, int, int, str], List[int]]


class Cover:
    """The tests so far, and what each of them entered; made when all of them are loaded."""

    def __init__(self) -> None:
        self.tree, self.watch = Tree(os.path.realpath(os.getcwd())), Watch()
        self.tests: List[Tuple[str, float]] = []
        self.entered: Entered = {}
        self.known: Dict[int, Tuple[CodeType, Optional[Tuple[str, int, int, str]]]] = {}
        self.watch.start()

    def begins(self, test: str) -> None:
        """What ran since another one ended is this one's: fixtures of a class or a module are."""
        self.tests.append((test, time.process_time()))
        self.add(self.watch.take())

    def ends(self) -> None:
        self.add(self.watch.take())

    def add(self, ran: List[CodeType]) -> None:
        number = len(self.tests) - 1
        for code in ran:
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

    def tell(self, folder: str) -> None:
        """Writes all of it to `report.json` there, after the last test."""
        if self.tests:
            self.add(self.watch.take())
        ends = [began for _, began in self.tests[1:]] + [time.process_time()]
        found = {
            "lost": self.watch.stop_listening(),
            "tests": [[test, end - began] for (test, began), end in zip(self.tests, ends)],
            "functions": [[*place, ranges(numbers)] for place, numbers in self.entered.items()],
        }
        with open(os.path.join(folder, "report.json"), "w", encoding="utf-8") as file:
            json.dump(found, file)


def ranges(numbers: List[int]) -> List[int]:
    """Ascending numbers as ranges: where each begins, and where it has ended."""
    found: List[int] = []
    for number in numbers:
        if found and found[-1] >= number:
            found[-1] = number + 1
        else:
            found += [number, number + 1]
    return found
