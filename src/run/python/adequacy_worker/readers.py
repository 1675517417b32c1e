"""Who reads a source before the tests and keeps nothing of its text.

Beside whoever loads modules that is doctest, which looks in the source for the lines where its examples begin, and only shows
these. But `linecache`, which reads for it, would hand the same text to whoever asks later, unseen.
"""

from __future__ import annotations

import linecache
import os
import sys
from types import FrameType
from typing import Any, Dict, Optional

LOADERS = ("importlib._bootstrap_external", os.path.join("_pytest", "assertion", "rewrite.py"))

DOCTEST = os.path.join(os.path.dirname(os.__file__), "doctest.py")

# The modules of finders that are known to keep nothing.
FINDERS = ("doctest", "_pytest.doctest")

# The calls between who reads and who opens.
DEPTH = 5


def keeps_nothing() -> bool:
    """Whether who called the caller of this does so for one of them."""
    frame: Optional[FrameType] = sys._getframe(2)
    for _ in range(DEPTH):
        if frame is None:
            return False
        if any(loader in frame.f_code.co_filename for loader in LOADERS) or is_finder(frame):
            return True
        frame = frame.f_back
    return False


def is_finder(frame: FrameType) -> bool:
    code = frame.f_code
    if code.co_name != "find" or code.co_filename != DOCTEST:
        return False
    return type(frame.f_locals.get("self")).__module__ in FINDERS


class Lines(Dict[str, Any]):
    """What `linecache` keeps, but for what it reads for one of them: who asks for that reads it anew."""

    def __setitem__(self, name: str, entry: Any) -> None:
        if not keeps_nothing():
            super().__setitem__(name, entry)


class Reading:
    """Has `linecache` keep what we say, from its start to its end."""

    def __init__(self) -> None:
        self.usual: Optional[Dict[str, Any]] = None

    def start(self) -> None:
        if self.usual is None:
            self.usual = linecache.cache
            linecache.cache = Lines(self.usual)

    def end(self) -> None:
        if self.usual is not None and isinstance(linecache.cache, Lines):
            self.usual.clear()
            self.usual.update(linecache.cache)
            linecache.cache = self.usual
        self.usual = None
