"""Tests of other kinds, by `load_tests`, and what is computed while they are loaded.

>>> product.f10()
False
"""

import doctest
import unittest

import product

VALUE = product.f11()


class Plain(unittest.TestCase):
    def test_value(self):
        self.assertFalse(VALUE)

    def test_other(self):
        self.assertFalse(product.f12())


def by_itself():
    assert not product.f13()


def load_tests(loader, tests, pattern):
    tests.addTest(doctest.DocTestSuite())
    tests.addTest(unittest.FunctionTestCase(by_itself))
    if product.F1:
        return unittest.TestSuite()
    return tests
