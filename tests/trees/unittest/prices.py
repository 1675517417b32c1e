"""A package file beside data that the tests read."""


def total(prices, rate):
    return sum(prices) + sum(prices) * rate // 100
