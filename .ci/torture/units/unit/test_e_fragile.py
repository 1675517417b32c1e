"""Each call stands at the edge: a larger limit ends more than a test."""

import unittest

from torture import fragile


class Fragile(unittest.TestCase):
    def test_exits(self):
        fragile.exits(70)

    def test_interrupts(self):
        fragile.interrupts(80)

    def test_leaves(self):
        fragile.leaves(40)

    def test_leaves_quietly(self):
        fragile.leaves_quietly(60)

    def test_aborts(self):
        fragile.aborts(90)
