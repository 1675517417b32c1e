"""What the tests of each folder call."""

import os


def threaded():
    return 60


def untested():
    return 61


def other_process():
    return 70


def same_process():
    return 75


def victim(value):
    return os.getppid() if value < 80 else None


def seconds():
    return 90
