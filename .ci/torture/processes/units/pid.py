"""A test that knows the process which loaded it."""

import os
import unittest

import hazards

LOADED_BY = os.getpid()


class Process(unittest.TestCase):
    def test_same_process(self):
        self.assertEqual(os.getpid(), LOADED_BY)
        self.assertEqual(hazards.same_process(), 75)
