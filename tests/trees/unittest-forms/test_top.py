"""Found by `python -m unittest` alone: what a suite does beside calling test methods."""

import unittest

import product


def setUpModule():
    assert not product.f00()


class Plain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = product.f01()

    def tearDown(self):
        assert not product.f02()

    def test_kept(self):
        self.assertFalse(self.kept)

    def test_parts(self):
        for part in (product.f03, product.f04):
            with self.subTest(part=part.__name__):
                self.assertFalse(part())

    @unittest.expectedFailure
    def test_expected(self):
        self.assertTrue(product.f05())

    @unittest.skipIf(product.F0, "the flag is set")
    def test_skipped(self):
        self.assertFalse(product.f06())

    @unittest.skip("never")
    def test_never(self):
        self.assertFalse(product.f07())


class Awaited(unittest.IsolatedAsyncioTestCase):
    async def test_awaits(self):
        self.assertFalse(product.f08())


def tearDownModule():
    assert not product.f09()
