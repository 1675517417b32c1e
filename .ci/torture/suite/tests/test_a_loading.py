"""What was computed before the first test."""

import doctest
import inspect
from types import FunctionType
from typing import get_args

import pytest
from torture import bodies, caches, closures, constants, decorator, documented, generators, held
from torture import metaclass, parametrised, quoted, subclass

caches.price(2)
PAIRS = parametrised.cases(2)
EXAMPLES = [found for module in (documented, quoted) for found in doctest.DocTestFinder().find(module)]
QUOTED = inspect.getsource(quoted)


def test_constants():
    assert constants.SQUARES == [1, 4, 9, 16]


def test_caches():
    assert caches.price(2) == 6
    assert caches.BOX.size == 4
    assert caches.fresh(1) == 8


@pytest.mark.parametrize("n, double", PAIRS)
def test_parametrised(n, double):
    assert n + n == double


def test_number_of_cases():
    assert len(PAIRS) == 6


@pytest.mark.parametrize("pair", [parametrised.last()], ids=str)
def test_parametrised_by_id(pair, request):
    assert request.node.name == "test_parametrised_by_id[(7, 14)]"


def test_metaclass():
    assert metaclass.Point.size == 3


def test_subclass():
    assert subclass.Plugin.registry == {"Heavy": 10}


def test_decorator():
    assert decorator.grow(1) == 10
    assert decorator.grow.times == 20


def test_bodies():
    assert bodies.Level.HIGH.value == 10
    assert bodies.Options().retries == 3
    assert bodies.scaled(2) == 8
    assert get_args(bodies.lucky.__annotations__["value"]) == (7,)


def test_generators():
    assert generators.FIRST == 1
    assert next(generators.RUNNING) == 20


def test_closures():
    assert closures.BUMP() == 34


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example(example):
    assert doctest.DocTestRunner(verbose=False).run(example).failed == 0


def test_quoted():
    assert "return 44" in QUOTED


def test_held():
    assert FunctionType(held.CODE, {})() == 6
    assert held.COPY() == 8
