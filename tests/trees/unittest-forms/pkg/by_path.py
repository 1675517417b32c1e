"""Named by its path, with a pattern that selects some of it."""

import unittest

import product


class Plain(unittest.TestCase):
    def test_alpha(self):
        self.assertFalse(product.f18())

    def test_beta(self):
        self.assertFalse(product.f19())
