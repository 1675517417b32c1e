"""Mutants that end the process, or the run, in other ways than by a failing test."""

import os
import sys


def refuses_to_load(value):
    if value <= 32:
        raise ValueError(value)


refuses_to_load(33)


def leaves(value):
    if value < 40:
        os._exit(3)


def leaves_quietly(value):
    if value < 60:
        os._exit(0)


def exits(value):
    if value < 70:
        sys.exit(5)


def interrupts(value):
    if value < 80:
        raise KeyboardInterrupt


def aborts(value):
    if value < 90:
        os.abort()
