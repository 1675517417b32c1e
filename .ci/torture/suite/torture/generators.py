"""A generator that is running before the first test."""


def numbers():
    yield 1
    yield 20


RUNNING = numbers()
FIRST = next(RUNNING)
