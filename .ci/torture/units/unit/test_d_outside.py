"""Texts, programs, files, and modules that are loaded by a test."""

import importlib
import inspect
import os
import subprocess
import sys
import unittest
from pathlib import Path

from torture import documented, files, reloaded, source


class Outside(unittest.TestCase):
    def test_source(self):
        self.assertIn("return 21", inspect.getsource(source.documented))
        self.assertEqual(Path(source.__file__).read_text().count("29"), 1)

    def test_source_that_doctest_looked_through(self):
        self.assertIn("return 42", inspect.getsource(documented.listed))

    def test_command(self):
        argv = [sys.executable, "-m", "torture.command"]
        self.assertEqual(subprocess.run(argv, check=True, capture_output=True).stdout, b"22\n")

    def test_reloaded(self):
        again = importlib.reload(reloaded)
        self.assertEqual(again.value(), 23)
        self.assertEqual(again.LIMIT, 24)

    def test_lazy(self):
        from torture import lazy

        self.assertEqual(lazy.value(), 26)
        self.assertEqual(lazy.LIMIT, 25)

    def test_files(self):
        path = Path("saved.txt")
        self.assertFalse(path.exists())
        files.save(path)
        self.assertEqual(path.read_text(), "27")

    def test_nobody_else_left_a_trace(self):
        self.assertFalse({"ADEQUACY_SERVE", "PYTHONPATH"} & os.environ.keys())
