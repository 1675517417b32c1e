"""What is computed by the tests."""

import asyncio
import unittest

import pytest
from torture import aliases, plain
from torture.aliases import first as renamed

BOUND = plain.Account().deposit


def test_aliases():
    assert renamed(0) == aliases.HANDLERS["first"](0) == aliases.LATER() == 12
    assert aliases.COUNT() == 13
    assert aliases.describe(0) == 14
    assert aliases.describe("") == 15


def test_plain():
    assert BOUND(1) == 2
    assert plain.Account.fee() > 0
    assert plain.Account.limit() == 30
    assert plain.outer(0) == 50
    assert list(plain.stream()) == [6]
    assert plain.add(0) == 8


@pytest.mark.xfail
def test_expected_to_fail():
    assert plain.Account().rate == 5


class Cases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fetched = asyncio.run(plain.fetch())

    def test_fetched(self):
        for value in (6, 7):
            with self.subTest(value=value):
                self.assertGreaterEqual(7 - value, self.fetched - 7)
