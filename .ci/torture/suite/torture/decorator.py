"""A decorator has a body of its own, and what it makes has another."""


def repeated(times):
    def wrap(function):
        def inner(value):
            for _ in range(times):
                value = function(value)
            return value + 1

        inner.times = times * 10
        return inner

    return wrap


@repeated(2)
def grow(value):
    return value * 3
