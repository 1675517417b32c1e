"""A thread that starts before the first test, and answers all of them."""

import queue
import threading
import unittest

import hazards

ASKED, ANSWERS = queue.Queue(), queue.Queue()


def answer():
    while True:
        ANSWERS.put(ASKED.get()())


threading.Thread(target=answer, daemon=True).start()


class Threads(unittest.TestCase):
    def test_thread(self):
        ASKED.put(hazards.threaded)
        self.assertEqual(ANSWERS.get(timeout=5), 60)
