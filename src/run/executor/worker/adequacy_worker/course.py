"""Where a process is among the tests, and what each of them enters.

Tests that run before any that enters a changed function do the same with the change and without. So a
hot worker may send a child on: it runs the tests up to some place, unmutated, and serves there as the
worker does before the first test. The order of the tests stays what it is, and what ran up to there is
seen and refused, as what ran while loading is.
"""

from __future__ import annotations

import json
import os
import time
from types import CodeType
from typing import Any, Dict, List, Optional, Tuple

from .census import Census, Watch
from .swap import everything, is_function

# By file, first and last line, name: the numbers of the tests that enter it.
Entered = Dict[Tuple[str, int, int, str], List[int]]


class Course:
    """Of this process; `census` is that of before the first test."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        # The number of the test that runs.
        self.at = -1
        # Before which it serves.
        self.stop: Optional[int] = None
        self.census: Optional[Census] = None
        self.cover: Optional[Cover] = None

    def follow(self, request: Dict[str, Any], more: List[int], items: List[Any], taken: Census) -> None:
        """In a child: what it is to do besides running the tests."""
        self.stop = request.get("to")
        if self.census is None:
            self.census = taken
        if "until" in request:
            del items[request["until"] + 1 :]
        if "cover" in request:
            self.cover = Cover(taken, more[0])
        if self.stop is not None or self.cover is not None:
            self.watch.go_on()

    def stops_before(self, test: str) -> bool:
        """Whether this process serves before this test, the next one."""
        self.at += 1
        if self.cover is not None:
            self.cover.begins(test, self.watch.take())
        return self.at == self.stop

    def end(self) -> None:
        if self.cover is not None:
            ran = self.watch.take()
            lost = self.watch.stop_listening()
            self.cover.write(ran, lost)


class Cover:
    """Notes by test which functions of the tree it enters, for whoever holds the other end of `output`."""

    def __init__(self, census: Census, output: int) -> None:
        self.census = census
        self.output = output
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
            ours = is_function(code) and self.census.is_ours(code)
            self.known[id(code)] = code, self.find(code) if ours else None
        return self.known[id(code)][1]

    def find(self, code: CodeType) -> Tuple[str, int, int, str]:
        from dis import findlinestarts

        lines = (line for one in everything(code) for _, line in findlinestarts(one))
        path = os.path.relpath(os.path.realpath(code.co_filename), self.census.root)
        return path, code.co_firstlineno, max(filter(None, lines), default=0), code.co_name

    def write(self, ran: List[CodeType], lost: Optional[str]) -> None:
        self.add(ran)
        ends = [began for _, began in self.tests[1:]] + [time.process_time()]
        found = {
            "lost": lost,
            "tests": [[test, end - began] for (test, began), end in zip(self.tests, ends)],
            "functions": [[*place, ranges(numbers)] for place, numbers in self.entered.items()],
        }
        with open(self.output, "w", encoding="utf-8") as file:
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
