"""A function that keeps state of the function around it."""


def counter(step):
    total = 30

    def bump():
        nonlocal total
        total += step * 1
        return total

    return bump


BUMP = counter(4)
