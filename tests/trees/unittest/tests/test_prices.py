"""Found by `python3 -m unittest` on every Python 3."""
import json
import os
import unittest

import prices


class Total(unittest.TestCase):
    def test_with_tax(self):
        with open(os.path.join(os.path.dirname(__file__), "data.json")) as file:
            data = json.load(file)
        self.assertEqual(prices.total(data["prices"], data["rate"]), data["total"])
