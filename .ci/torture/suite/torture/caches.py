"""Caches that are full before the first test, and one that is not."""

from functools import cached_property, lru_cache


@lru_cache(maxsize=None)
def price(weight):
    return weight * 3


@lru_cache(maxsize=None)
def fresh(value):
    return value + 7


class Box:
    @cached_property
    def size(self):
        return 4


BOX = Box()
FILLED = price(weight=2), BOX.size
