"""What is computed by the tests."""

import unittest

from torture import aliases, plain
from torture.aliases import first as renamed

BOUND = plain.Account().deposit


class Functions(unittest.TestCase):
    def test_aliases(self):
        for value in (renamed(0), aliases.HANDLERS["first"](0), aliases.LATER()):
            with self.subTest(value=value):
                self.assertEqual(value, 12)
        self.assertEqual(aliases.COUNT(), 13)
        self.assertEqual(aliases.describe(0), 14)
        self.assertEqual(aliases.describe(""), 15)

    def test_plain(self):
        self.assertEqual(BOUND(1), 2)
        self.assertGreater(plain.Account.fee(), 0)
        self.assertEqual(plain.Account.limit(), 30)
        self.assertEqual(plain.outer(0), 50)
        self.assertEqual(list(plain.stream()), [6])
        self.assertEqual(plain.add(0), 8)

    @unittest.expectedFailure
    def test_expected_to_fail(self):
        self.assertEqual(plain.Account().rate, 5)


class Awaited(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.fetched = await plain.fetch()

    async def test_fetched(self):
        self.assertEqual(self.fetched, 7)
