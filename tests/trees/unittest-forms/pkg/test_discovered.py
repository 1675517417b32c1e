"""Discovered; a flag makes that it cannot be loaded."""

import unittest

import product

if product.F2:
    raise RuntimeError("cannot be loaded")


class Plain(unittest.TestCase):
    def test_it(self):
        self.assertFalse(product.f14())
        print("what is buffered")
