"""A mutant lets the test end the process that started its own."""

import os
import signal
import time
import unittest

import hazards


class Kills(unittest.TestCase):
    def test_victim(self):
        pid = hazards.victim(80)
        if pid:
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.5)
