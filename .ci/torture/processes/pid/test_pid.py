"""A test that knows the process which loaded it."""

import os

import hazards

LOADED_BY = os.getpid()


def test_same_process():
    assert os.getpid() == LOADED_BY
    assert hazards.same_process() == 75
