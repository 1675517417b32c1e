"""Where a process is among the tests.

Tests that run before any that enters a changed function do the same with the change and without. So a
hot worker may send a child on: it runs the tests up to some place, unmutated, and serves there as the
worker does before the first test. The order of the tests stays what it is, and what ran up to there is
seen and refused, as what ran while loading is.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from .census import Census, Watch


class Course:
    """Of this process; `census` is that of the last time that it served."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        # The number of the test that runs.
        self.at = -1
        # Before which it serves; that after the last one has a number too.
        self.stop: Optional[int] = None
        # The last one that it is to run, where that is not the last of all.
        self.until: Optional[int] = None
        self.census: Optional[Census] = None

    def follow(self, request: Dict[str, Any], taken: Census) -> None:
        """In a child: what it is to do besides running the tests."""
        self.stop, self.until = request.get("to"), request.get("until")
        self.census = taken
        if self.stop is not None:
            self.watch.go_on()

    def stops(self) -> bool:
        """Whether this process serves before the next test, or after the last."""
        self.at += 1
        return self.at == self.stop
