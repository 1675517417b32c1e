"""A test that leaves a process behind, in a session of its own."""

import os
import sys
import unittest

import hazards


class Daemon(unittest.TestCase):
    def test_leaves_a_daemon(self):
        seconds = hazards.seconds()
        if os.fork() == 0:
            os.setsid()
            sleep = f"import time; time.sleep({seconds})"
            os.execv(sys.executable, [sys.executable, "-c", sleep, "left-by-torture"])
        self.assertEqual(seconds, 90)
