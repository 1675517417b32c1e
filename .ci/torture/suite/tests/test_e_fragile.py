"""Each call stands at the edge: a larger limit ends more than a test."""

from torture import fragile


def test_exits():
    fragile.exits(70)


def test_interrupts():
    fragile.interrupts(80)


def test_leaves():
    fragile.leaves(40)


def test_leaves_quietly():
    fragile.leaves_quietly(60)


def test_aborts():
    fragile.aborts(90)
