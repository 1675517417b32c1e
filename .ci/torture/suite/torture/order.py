"""What tests come to one after the other, and what stays alive between them."""

from functools import lru_cache

KEPT = {}
STRICT = []


def size():
    return 31


def strict():
    return 51


def table():
    return {"rows": 61}


def closed():
    return 62


def opened():
    return 63


def long():
    return 64


def scaled(factor):
    return factor * 65


def last():
    return 66


def patched():
    return 67


def stream():
    yield 68
    yield 69


def adder(value):
    def add():
        return value + 71

    return add


@lru_cache(maxsize=None)
def cached():
    return 72


def unheard():
    return 73
