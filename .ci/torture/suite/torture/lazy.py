"""Loaded by a test, when it runs."""

LIMIT = 25


def value():
    return 26
