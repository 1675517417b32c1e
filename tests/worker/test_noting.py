"""Which functions each test enters, and which tests changed; under a stand-in for pytest, and by unittest."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from adequacy_worker import unittest_noting
from sample import PRODUCT

# What a module does while it is loaded is of no test.
LOADED = PRODUCT + "\n\nearly()\n"

# Runs the tests of a file as pytest does, as far as a plugin sees it.
PROGRAM = """\
import os, sys, types
sys.modules["pytest"] = types.SimpleNamespace(hookimpl=lambda **_: lambda function: function)
from adequacy_worker import noting
assert not [name for name in os.environ if "ADEQUACY" in name or name.startswith("PYTEST")]
sys.path.insert(0, os.getcwd())
import tests
items = [
    types.SimpleNamespace(nodeid=name, function=function, fspath=tests.__file__)
    for name, function in vars(tests).items() if name.startswith("test_")
]
noting.pytest_collection_modifyitems(items)
for item in items:
    around = noting.pytest_runtest_protocol(item)
    next(around)
    item.function()
    next(around, None)
noting.pytest_sessionfinish()
"""

TESTS = """\
import product

def test_0():
    product.early()

def test_1(): pass
def test_2(): product.late([0])

def test_3():
    product.early()
    product.late([])

def test_4(): product.late([1, 2])
"""


def found(changed=None):
    """What the plugin wrote of it."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [
            ("product.py", LOADED),
            ("tests.py", TESTS),
            ("question.json", json.dumps({"changed": changed})),
        ]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        environment = {**os.environ, "ADEQUACY_NOTE": folder, "PYTEST_PLUGINS": "adequacy_worker.noting"}
        subprocess.run([sys.executable, "-c", PROGRAM], cwd=folder, env=environment, check=True)
        with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
            return json.load(file)


UNITS = """\
import unittest
import product

class Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls): product.early()

    def test_0(self): product.late([])
    def test_1(self): pass
    def tearDown(self): product.idle()

class Later(unittest.TestCase):
    @classmethod
    def setUpClass(cls): product.late([])

    def test_2(self): pass
"""


class Noting(unittest.TestCase):
    def test_what_each_test_enters_is_told(self):
        told = found()
        self.assertIsNone(told["lost"])
        self.assertEqual([test for test, _ in told["tests"]], ["test_{}".format(n) for n in range(5)])
        functions = {
            name: (first, last, tests)
            for path, first, last, name, tests in told["functions"]
            if path == "product.py" and name != "<listcomp>"
        }
        self.assertEqual(
            functions,
            {
                "early": (1, 2, [0, 1, 3, 4]),
                "late": (5, 9, [2, 5]),
                "inner": (6, 7, [2, 3, 4, 5]),
            },
        )

    def test_what_each_test_of_unittest_enters_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in [("product.py", LOADED), ("units.py", UNITS)]:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            start = os.path.join(os.path.dirname(unittest_noting.__file__), "start")
            environment = {**os.environ, "ADEQUACY_NOTE": folder, "PYTHONPATH": start}
            argv = [sys.executable, "-m", "unittest", "-q", "units"]
            subprocess.run(argv, cwd=folder, env=environment, check=True)
            with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
                told = json.load(file)
        self.assertIsNone(told["lost"])
        names = ["units.Later.test_2", "units.Tests.test_0", "units.Tests.test_1"]
        self.assertEqual([test for test, _ in told["tests"]], names)
        functions = {name: tests for path, _, _, name, tests in told["functions"] if path == "product.py"}
        functions.pop("<listcomp>", None)
        self.assertEqual(functions, {"late": [0, 2], "early": [1, 2], "idle": [1, 3]})

    def test_of_changed_tests_those_alone_run(self):
        for parts, tests in [
            ([[7, 7]], ["test_2"]),
            ([[4, 6]], ["test_0", "test_1"]),
            ([[7, 7], [10, 11]], ["test_2", "test_3"]),
            # In no test.
            ([[1, 1]], ["test_0", "test_1", "test_2", "test_3", "test_4"]),
        ]:
            told = found({"tests.py": parts, "gone.py": [[1, 9]]})
            self.assertEqual([test for test, _ in told["tests"]], tests)
        self.assertEqual(found({"other.py": [[1, 1]]})["tests"], [])


if __name__ == "__main__":
    unittest.main()
