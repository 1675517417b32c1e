"""Tests read the text of this file."""


def documented():
    return 21


def undocumented():
    return 29
