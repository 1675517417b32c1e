"""Prices."""


def total(prices, discount=0):
    """What is to be paid."""
    return sum(prices) - discount
