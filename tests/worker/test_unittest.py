"""How unittest's program is entered, and what is found there; each time in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import adequacy_worker

START = os.path.join(os.path.dirname(os.path.abspath(adequacy_worker.__file__)), "start")

USUAL = """\
import unittest

class Usual(unittest.TestCase):
    def test_one(self): {one}
    def test_two(self): {two}
"""


class Tree:
    """A folder with a module of tests, and what a run in it came to."""

    def __init__(self, more="", one="pass", two="pass", **files):
        self.more = more
        self.files = dict(files, test_it=USUAL.format(one=one, two=two) + textwrap.dedent(more))

    def run(self, *words, **environment):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.files.items():
                with open(os.path.join(folder, name + ".py"), "w") as file:
                    file.write(text)
            report = os.path.join(folder, "report")
            if environment.pop("asks", False):
                environment["ADEQUACY_PROBE"] = report
            usual = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            done = subprocess.run(
                [sys.executable, *words, "-m", "unittest", "-v"],
                cwd=folder,
                env={**usual, "PYTHONPATH": START, **environment},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                universal_newlines=True,
            )
            self.status, self.said, self.out = done.returncode, done.stderr, done.stdout
            self.found = None
            if os.path.exists(report):
                with open(report) as file:
                    self.found = json.load(file)
        return self


class Entering(unittest.TestCase):
    def test_it_stops_at_the_first_failing_test(self):
        ran = Tree(one="self.fail()").run()
        self.assertEqual(ran.status, 1)
        self.assertIn("Ran 1 test", ran.said)
        ran = Tree(two="self.fail()").run()
        self.assertEqual(ran.status, 1)
        self.assertIn("Ran 2 tests", ran.said)
        self.assertEqual(Tree().run().status, 0)

    def test_whatever_fails_ends_it_and_what_is_skipped_does_not(self):
        later = """
            class Later(unittest.TestCase):
                def test_it(self): print("behind it")

            class First(unittest.TestCase):
            """
        for body, is_behind in (
            ("def test_it(self):\n    with self.subTest(): self.skipTest('it')\n    print('goes on')", True),
            ("def test_it(self):\n    with self.subTest(): self.fail()\n    print('goes on')", False),
            ("@unittest.expectedFailure\ndef test_it(self): print('goes on')", False),
            ("@unittest.expectedFailure\ndef test_it(self): print('goes on'); self.fail()", True),
            ("def test_it(self): print('goes on'); 1 / 0", False),
            ("@classmethod\ndef setUpClass(cls): print('goes on'); 1 / 0\ndef test_it(self): pass", False),
            ("@classmethod\ndef tearDownClass(cls): print('goes on'); 1 / 0\ndef test_it(self): pass", None),
        ):
            ran = Tree(textwrap.dedent(later) + textwrap.indent(body, "    ")).run()
            self.assertIn("goes on", ran.out, body)
            self.assertEqual(ran.status == 0, is_behind is True, ran.said)
            if is_behind is not None:
                self.assertEqual("behind it" in ran.out, is_behind, body)

    def test_it_leaves_no_trace(self):
        tree = Tree(
            """
            import os, sys

            class Traces(unittest.TestCase):
                def test_none(self):
                    self.assertNotIn("PYTHONPATH", os.environ)
                    self.assertEqual([path for path in sys.path if "adequacy" in path], [])
                    self.assertEqual([one for one in sys.meta_path if type(one).__name__ == "Gate"], [])
                    program = sys.modules["unittest.main"].TestProgram
                    for method in (program.parseArgs, program.runTests):
                        self.assertEqual(method.__module__, "unittest.main")
            """
        )
        ran = tree.run()
        self.assertEqual(ran.status, 0, ran.said)

    def test_the_path_of_the_tasks_own_stays(self):
        tree = Tree("import os\nassert os.environ['PYTHONPATH'] == '/nowhere'\n")
        ran = tree.run(PYTHONPATH=START + os.pathsep + "/nowhere")
        self.assertEqual(ran.status, 0, ran.said)

    def test_a_sitecustomize_that_was_there_is_loaded(self):
        tree = Tree("import sitecustomize\nassert sitecustomize.OURS\n")
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
                file.write("OURS = True\n")
            ran = tree.run(PYTHONPATH=START + os.pathsep + folder)
        self.assertEqual(ran.status, 0, ran.said)

    def test_one_that_breaks_is_told_as_usual(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
                file.write("1 / 0\n")
            ran = Tree().run(PYTHONPATH=START + os.pathsep + folder)
        self.assertEqual(ran.status, 0, ran.said)
        self.assertIn("Error in sitecustomize", ran.said)
        self.assertIn("ZeroDivisionError", ran.said)

    def test_where_there_is_none_nothing_is_told(self):
        # -I and -S would not load ours either.
        self.assertNotIn("sitecustomize", Tree().run().said)

    def test_programs_that_tests_run_are_not_entered(self):
        tree = Tree(
            """
            class Inner(unittest.TestCase):
                def test_runs_both(self):
                    class One(unittest.TestCase):
                        def test_1(self): self.fail()
                        def test_2(self): self.fail()
                    class Module: pass
                    Module.One = One
                    program = unittest.main(Module, argv=["it"], exit=False)
                    self.assertEqual(len(program.result.failures), 2)
            """
        )
        ran = tree.run()
        self.assertEqual(ran.status, 0, ran.said)


class Asking(unittest.TestCase):
    def test_nothing_stands_between_a_usual_suite_and_its_status(self):
        ran = Tree("import doctest\ndef load_tests(loader, tests, pattern):\n"
                   "    tests.addTest(doctest.DocTestSuite())\n    return tests\n"
                   "class Awaited(unittest.IsolatedAsyncioTestCase):\n"
                   "    async def test_it(self): pass\n", __init__="").run(asks=True)
        self.assertEqual(ran.status, 0, ran.said)
        self.assertEqual(ran.found, {"objections": [], "tests": 3})

    def test_all_fail_when_asked_to(self):
        ran = Tree().run(asks=True, ADEQUACY_PROBE_FAIL="1")
        self.assertEqual(ran.status, 1)
        self.assertIn("asked to fail: test_it.Usual.test_one", ran.said)

    def test_what_goes_its_own_way_is_named(self):
        for more, words in (
            ("class Own(unittest.TestCase):\n    def __call__(self, *more): pass\n    def test_it(self): pass\n",
             "`Own.__call__` is not unittest's own"),
            ("class Own(unittest.TestSuite):\n    def __iter__(self): return iter(())\n\n"
             "def load_tests(loader, tests, pattern): return Own([tests])\n",
             "`Own.__iter__` is not unittest's own"),
            ("unittest.case.TestCase.run = lambda self, result=None: None\n",
             "`TestCase.run` is not unittest's own"),
            ("class Own(unittest.TextTestRunner): pass\nunittest.runner.TextTestRunner = Own\n"
             "Own.run = lambda self, test: None\n",
             "`Own.run` is not unittest's own"),
            ("import sys\nsys.modules['__main__'].__spec__ = None\n",
             "the program that runs is not unittest itself"),
        ):
            ran = Tree(more).run(asks=True)
            self.assertIn(words, ran.found["objections"], ran.said)
