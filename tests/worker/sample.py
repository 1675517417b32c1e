"""The module that the tests of workers and of noting change and enter."""

PRODUCT = """\
def early():
    return 1


def late(numbers):
    def inner():
        return 2

    return [inner() for _ in numbers]


def idle():
    return 3


# A set keeps the constants of the module, code among them, in sight of the garbage collector.
KNOWN = len("a") in {1, 2}
"""
