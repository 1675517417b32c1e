"""Mutants that end the process, or the run, in other ways than by a failing test."""

import os
import sys


def refuses_to_load(value):
    if value <= 32:
        raise ValueError(value)


refuses_to_load(33)


def leaves(value):
    if value < 40:
        # What pytest ends with after an error of its own; in words, so that it is no mutant.
        os._exit(int("3"))


def leaves_quietly(value):
    if value < 60:
        os._exit(os.EX_OK)


def exits(value):
    if value < 70:
        sys.exit("too small")


def interrupts(value):
    if value < 80:
        raise KeyboardInterrupt


def aborts(value):
    if value < 90:
        os.abort()
