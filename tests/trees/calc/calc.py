"""Adds and compares."""


def add(a, b):
    return a + b


def bigger(a, b):
    return a > b
