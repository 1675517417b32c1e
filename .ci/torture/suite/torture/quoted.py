"""Its source is read as text behind doctest, before the tests."""


def text():
    return 44
