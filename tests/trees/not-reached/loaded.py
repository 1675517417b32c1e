"""Loaded by the command, in a process of its own with an empty environment."""
VALUE = 1 + 1
