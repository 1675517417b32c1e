"""A test loads this module once more."""

LIMIT = 24


def value():
    return 23
