"""Functions that are reached by other ways than their names."""

from functools import partial, singledispatch


def first(value):
    return value + 12


class Shelf:
    def count(self):
        return 13


@singledispatch
def describe(value):
    return 14


@describe.register
def _(value: str):
    return 15


HANDLERS = {"first": first}
LATER = partial(first, value=0)
COUNT = Shelf().count
