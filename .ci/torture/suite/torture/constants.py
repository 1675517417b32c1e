"""A function runs while the module is loaded; tests look at what it left alone."""


def squares(count):
    return [n * n for n in range(1, count)]


SQUARES = squares(5)
