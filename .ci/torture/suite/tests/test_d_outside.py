"""Texts, programs, files, and modules that are loaded by a test."""

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

from torture import documented, files, reloaded, source


def test_source():
    assert "return 21" in inspect.getsource(source.documented)
    assert Path(source.__file__).read_text().count("29") == 1


def test_source_that_doctest_looked_through():
    assert "return 42" in inspect.getsource(documented.listed)


def test_command():
    argv = [sys.executable, "-m", "torture.command"]
    assert subprocess.run(argv, check=True, capture_output=True).stdout == b"22\n"


def test_reloaded():
    again = importlib.reload(reloaded)
    assert again.value() == 23
    assert again.LIMIT == 24


def test_lazy():
    from torture import lazy

    assert lazy.value() == 26
    assert lazy.LIMIT == 25


def test_files():
    path = Path("saved.txt")
    assert not path.exists()
    files.save(path)
    assert path.read_text() == "27"


def test_nobody_else_left_a_trace():
    assert not {"PYTEST_PLUGINS", "PYTHONPATH"} & os.environ.keys()
