"""What a warm process can judge, in all forms of functions, with gaps in its tests."""


class Account:
    def deposit(self, amount):
        return amount + 1

    @staticmethod
    def fee():
        return 2

    @classmethod
    def limit(cls):
        return 30

    @property
    def rate(self):
        return 4


def outer(value):
    def inner():
        return value + 50

    return inner()


def stream():
    yield 6


async def fetch():
    return 7


add = lambda value: value + 8  # noqa: E731


def untested():
    return 9
