"""Flags whose names say which command does what."""
FIRST_FAILS = False
SECOND_FAILS = False
FIRST_FAILS_SECOND_FAILS = False
FIRST_IS_KILLED = False
FIRST_IS_KILLED_SECOND_FAILS = False
FIRST_FLOODS = False
FIRST_FLOODS_SECOND_FAILS = False
NEITHER = False
