"""What is found of the code of a process, each in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

PRODUCT = '''\
def ran():
    return 1


def idle():
    return 2


def generator():
    yield 3


MADE = generator()
VALUE = ran()
HELD = [idle.__code__]
'''

PROBE = '''\
import json, sys
from adequacy_worker import census, hazards
watch = census.Watch()
watch.start()
sys.path.insert(0, ".")
import product
{more}
lost = watch.stop()
taken = census.Census({root!r}, watch)
names = lambda keys: sorted(name for _, _, name in keys if name != "<module>")
print(json.dumps([lost, names(taken.alive.executed), names(taken.alive.held),
                  names(taken.alive.functions), sorted(taken.read), list(hazards.of_process())]))
'''


CHANGED = '''\
before = open("product.py").read()
for after in ("return 4", "return None[0]"):
    with open("product.py", "w") as file:
        file.write(before.replace("return 2", after))
    try:
        print(len(taken.plan(["product.py"])))
    except census.Refused as refused:
        print(refused)
'''


def look(more=""):
    with tempfile.TemporaryDirectory() as root:
        root = os.path.realpath(root)
        with open(os.path.join(root, "product.py"), "w") as file:
            file.write(PRODUCT)
        program = PROBE.format(more=textwrap.dedent(more), root=root)
        said = subprocess.run(
            [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, check=True
        )
        return [json.loads(said.stdout), root]


class Planning(unittest.TestCase):
    def test_a_change_that_the_compiler_warns_of_is_refused(self):
        source = "def idle():\n    return 2\n"
        program = PROBE.partition("names =")[0] + CHANGED
        with tempfile.TemporaryDirectory() as root:
            root = os.path.realpath(root)
            with open(os.path.join(root, "product.py"), "w") as file:
                file.write(source)
            said = subprocess.run(
                [sys.executable, "-c", program.format(more="", root=root)],
                cwd=root,
                stdout=subprocess.PIPE,
                check=True,
            )
        self.assertEqual(
            said.stdout.decode().splitlines(), ["1", "compiling it warns of something else"]
        )


class Looking(unittest.TestCase):
    def test_what_ran_what_is_held_and_what_lives(self):
        (lost, executed, held, functions, read, _), _ = look()
        self.assertIsNone(lost)
        self.assertEqual(executed, ["ran"])
        self.assertEqual(held, ["generator", "idle"])
        self.assertEqual(functions, ["generator", "idle", "ran"])
        self.assertEqual(read, [])

    def test_a_source_that_is_read_as_text(self):
        (_, _, _, _, read, _), root = look("open('product.py').read()")
        self.assertEqual(read, [os.path.join(root, "product.py")])

    def test_a_source_in_which_doctest_looks_for_lines(self):
        find = "import doctest, inspect, linecache\ndoctest.DocTestFinder().find(product)\n"
        own = "class Own(doctest.DocTestFinder):\n    def _find_lineno(self, thing, lines): KEPT.extend(lines)\n"
        for more, is_read in (
            (find, False),
            # Who asks behind it is not answered by what it read.
            (find + "TEXT = inspect.getsource(product)", True),
            (find + "TEXT = linecache.getlines(product.__file__)", True),
            (find + "KEPT = []\n" + own + "Own().find(product)", True),
        ):
            more += "\nassert (product.__file__ in linecache.cache) is {}".format(is_read)
            (_, _, _, _, read, _), root = look(more)
            self.assertEqual(read, [os.path.join(root, "product.py")] if is_read else [], more)

    def test_what_goes_on_in_another_process(self):
        for more in (
            "import os\nif os.fork() == 0: os._exit(0)\nos.wait()",
            # Of these no event tells.
            "import ctypes, os\nif ctypes.CDLL(None).fork() == 0: os._exit(0)\nos.wait()",
            "import subprocess\nsubprocess.run(['true'], preexec_fn=product.idle)",
        ):
            (lost, _, _, _, _, _), _ = look(more)
            self.assertEqual(lost, "it goes on in another process before the tests", more)

    def test_what_runs_in_other_threads(self):
        start = "import threading\nthread = threading.Thread(target=product.idle)"
        (lost, executed, _, _, _, _), _ = look(start + "\nthread.start()\nthread.join()")
        self.assertEqual((lost, executed), (None, ["idle", "ran"]))

    def test_what_a_fork_would_break(self):
        for more, words in (
            ("import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()", "threads"),
            ("import subprocess\nCHILD = subprocess.Popen(['sleep', '1'])", "child processes"),
            ("import mmap\nSHARED = mmap.mmap(-1, 4096)", "memory that children would share"),
            ("import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)", "end of child processes"),
            ("import sys\nsys.settrace(lambda *_: None)", "trace"),
        ):
            (_, _, _, _, _, hazards), _ = look(more)
            self.assertTrue(any(words in one for one in hazards), (words, hazards))


class Descriptors(unittest.TestCase):
    def test_an_open_file_is_as_it_was_for_each_child(self):
        from adequacy_worker import hazards

        with tempfile.TemporaryFile() as file:
            file.write(b"before")
            file.flush()
            kept = hazards.Descriptors(set(), set())
            self.assertIn(file.fileno(), [one for one, _, _ in kept.files])
            os.write(file.fileno(), b" and after")
            kept.bring_back()
            self.assertEqual(os.lseek(file.fileno(), 0, os.SEEK_CUR), 6)
            self.assertEqual(os.pread(file.fileno(), 99, 0), b"before")

    def test_what_children_would_share_is_named(self):
        from adequacy_worker import hazards

        read, write = os.pipe()
        try:
            found = hazards.Descriptors(set(), set()).hazards
        finally:
            os.close(read)
            os.close(write)
        self.assertTrue(any("pipe:" in one for one in found), found)


if __name__ == "__main__":
    unittest.main()
