"""Named by the command; flags make that it cannot be loaded, or ends the process while it is."""

import sys
import unittest

import product

if product.F3:
    import missing
if product.F4:
    sys.exit(3)


class First(unittest.TestCase):
    def test_one(self):
        self.assertFalse(product.f15())

    def test_not_named(self):
        self.assertFalse(product.f16())


class Second(unittest.TestCase):
    def test_two(self):
        self.assertFalse(product.f17())
