"""Functions in whose source doctest looks for examples, before the tests."""


def shown():
    """What an example shows.

    >>> shown()
    41
    """
    return 41


def listed():
    """A test reads its source."""
    return 42
