"""Tests are made of what a function returns while they are collected."""


def cases(start):
    found = [(n, n + n) for n in range(start, 9) if n != start]
    return found[:8]


def last():
    return cases(1)[5]
