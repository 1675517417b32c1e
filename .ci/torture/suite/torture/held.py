"""Code objects that are held beside their functions, and a copy of one."""

from types import FunctionType


def original():
    return 6


def copied():
    return 8


CODE = original.__code__
COPY = FunctionType(copied.__code__.replace(co_name="copy"), globals())
