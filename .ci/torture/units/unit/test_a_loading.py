"""What was computed before the first test."""

import doctest
import inspect
import unittest
from types import FunctionType
from typing import get_args

from torture import bodies, caches, closures, constants, decorator, documented, generators, held
from torture import metaclass, parametrised, quoted, subclass

caches.price(2)
PAIRS = parametrised.cases(2)
EXAMPLES = doctest.DocTestSuite(documented)
doctest.DocTestFinder().find(quoted)
QUOTED = inspect.getsource(quoted)


class Loading(unittest.TestCase):
    def test_constants(self):
        self.assertEqual(constants.SQUARES, [1, 4, 9, 16])

    def test_caches(self):
        self.assertEqual(caches.price(2), 6)
        self.assertEqual(caches.BOX.size, 4)
        self.assertEqual(caches.fresh(1), 8)

    def test_number_of_cases(self):
        self.assertEqual(len(PAIRS), 6)

    def test_last_case(self):
        self.assertEqual(parametrised.last(), (7, 14))

    def test_metaclass(self):
        self.assertEqual(metaclass.Point.size, 3)

    def test_subclass(self):
        self.assertEqual(subclass.Plugin.registry, {"Heavy": 10})

    def test_decorator(self):
        self.assertEqual(decorator.grow(1), 10)
        self.assertEqual(decorator.grow.times, 20)

    def test_bodies(self):
        self.assertEqual(bodies.Level.HIGH.value, 10)
        self.assertEqual(bodies.Options().retries, 3)
        self.assertEqual(bodies.scaled(2), 8)
        self.assertEqual(get_args(bodies.lucky.__annotations__["value"]), (7,))

    def test_generators(self):
        self.assertEqual(generators.FIRST, 1)
        self.assertEqual(next(generators.RUNNING), 20)

    def test_closures(self):
        self.assertEqual(closures.BUMP(), 34)

    def test_quoted(self):
        self.assertIn("return 44", QUOTED)

    def test_held(self):
        self.assertEqual(FunctionType(held.CODE, {})(), 6)
        self.assertEqual(held.COPY(), 8)


def load_tests(loader, tests, pattern):
    """A test for each pair, and the examples."""

    def test_of(n, double):
        return unittest.FunctionTestCase(lambda: loader.assertion.assertEqual(n + n, double))

    loader.assertion = unittest.TestCase()
    tests.addTests(test_of(*pair) for pair in PAIRS)
    tests.addTests(EXAMPLES)
    return tests
