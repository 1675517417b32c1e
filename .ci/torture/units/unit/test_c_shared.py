"""Tests that need what others did before them, in the order of their names."""

import unittest

from torture import fixtures, shared

SETTINGS = []


def setUpModule():
    SETTINGS.extend(shared.settings())
    unittest.addModuleCleanup(fixtures.clean)


def tearDownModule():
    assert SETTINGS == [28, 0]


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.loaded = shared.load()
        cls.addClassCleanup(fixtures.close, 3)

    def setUp(self):
        self.addCleanup(fixtures.put_away)

    def test_1_uses_what_is_loaded(self):
        self.assertTrue(self.loaded and SETTINGS)

    def test_2_asserts_what_is_loaded(self):
        self.assertEqual(self.loaded, {"limit": 16})

    def test_3_changes_the_settings(self):
        SETTINGS.append(0)

    def test_4_remembers(self):
        shared.remember("a")

    def test_5_asserts_the_memo(self):
        self.assertEqual(shared.MEMO, {"a": 17})

    def test_6_first_step(self):
        shared.step()

    def test_7_second_step(self):
        shared.step()
        self.assertEqual(shared.STEPS, [18, 19])

    def test_8_makes_ready(self):
        # Reaches nothing that is mutated, but the next test needs it.
        shared.READY.append(True)

    def test_9_weighs_when_ready(self):
        self.assertTrue(shared.READY)
        self.assertGreater(shared.weigh(), 0)
