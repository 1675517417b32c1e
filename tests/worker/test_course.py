"""Where a process stands among the tests; served as the engine is."""

import array
import ctypes
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest

import adequacy_worker
from sample import PRODUCT

PR_SET_CHILD_SUBREAPER = 36

# A program that runs five tests as pytest runs them: the last one fails where the product was changed.
PROGRAM = """\
import gc, os, sys
from adequacy_worker import census, course, serve
root = os.path.realpath(".")
server, watch = serve.Server(), census.Watch()
watch.start()
sys.path.insert(0, root)
import product

along = course.Course(watch)
MADE = []


def serves():
    gc.unfreeze()
    gc.collect()
    lost = watch.stop()
    taken = census.Census(root, watch, along.census)
    server.serve([lost] if lost else [], [], taken.plan, watch.starts)
    along.follow(server.request, taken)
    if along.until is not None:
        del tests[along.until + 1 :]


def daemon():
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            import time
            time.sleep(60)
        os._exit(0)
    os.wait()


tests = [
    lambda: product.early() == 1,
    lambda: MADE.append(os.getpid()) is None,
    lambda: bool(MADE),
    lambda: product.late([0]) == [2],
    lambda: product.early() + product.late([0])[0] == 3 and {last},
]
serves()
for number, test in enumerate(tests):
    if along.stops():
        serves()
    print("ran", number, flush=True)
    if not test():
        server.note.write("failed", "test_{{}}".format(number))
        server.note.write("failed_at", along.at)
        os._exit(1)
if along.stops():
    serves()
server.note.write("ended", 0)
os._exit(0)
"""


# The same by unittest, with fixtures; each test and fixture tells that it runs.
UNITS = """\
import sys, unittest, product

def tell(what): print("ran", what, flush=True)

def setUpModule(): tell(100)

def tearDownModule(): tell(101)

class First(unittest.TestCase):
    @classmethod
    def setUpClass(cls): tell(110)
    @classmethod
    def tearDownClass(cls): tell(111); {ends}
    def test_0(self): tell(0); self.assertEqual(product.early(), 1)
    def test_1(self):
        tell(1)
        inner = unittest.FunctionTestCase(lambda: None)
        self.assertTrue(unittest.TextTestRunner().run(unittest.TestSuite([inner])).wasSuccessful())

class Later(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls): tell(120); {begins}
    async def test_2(self): tell(2)
    async def test_3(self): tell(3); self.assertEqual(product.late([0]), [2])

class Second(unittest.TestCase):
    def test_4(self): tell(4)

def load_tests(loader, tests, pattern):
    return unittest.TestSuite(map(loader.loadTestsFromTestCase, (First, Later, Second)))
"""


class Engine:
    """Speaks with such a program as the engine does."""

    def __init__(self, last="True", units=None):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "product.py")
        self.write(PRODUCT)
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        argv, environment = [sys.executable, "-c", PROGRAM.format(last=last)], dict(os.environ)
        if units is not None:
            with open(os.path.join(self.folder.name, "units.py"), "w") as file:
                file.write(units)
            argv = [sys.executable, "-m", "unittest", "-q", "units"]
            environment["PYTHONPATH"] = os.path.join(os.path.dirname(adequacy_worker.__file__), "start")
            environment["ADEQUACY_SERVE"] = json.dumps({"tier": "hot", "places": []})
        self.process = subprocess.Popen(
            argv,
            cwd=self.folder.name,
            env=environment,
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0),
        )
        theirs.close()
        self.hello = self.receive()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()
        self.process.wait(20)
        self.folder.cleanup()

    def write(self, text):
        with open(self.path, "w") as file:
            file.write(text)

    def receive(self):
        self.channel.settimeout(20)
        return json.loads(self.channel.recv(1 << 16))

    def ask(self, change=None, **request):
        """What became of it, and what it wrote."""
        if change:
            self.write(PRODUCT.replace(*change))
        with tempfile.TemporaryFile() as output:
            sent = {"files": ["product.py"] if change else [], "limit_s": 20, **request}
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [output.fileno()]))
            self.channel.sendmsg([json.dumps(sent).encode()], [rights])
            answer = self.receive()
            output.seek(0)
            ran = [int(line.split()[1]) for line in output.read().splitlines() if line.startswith(b"ran ")]
        self.write(PRODUCT)
        return answer, ran


class OnCourse(unittest.TestCase):
    def test_a_child_that_is_sent_on_serves_for_those_who_enter_what_did_not_run(self):
        with Engine() as engine:
            answer, ran = engine.ask()
            self.assertEqual((answer["code"], answer["ended"], ran), (0, 0, [0, 1, 2, 3, 4]))
            # What it compiles to compare with is no code that is alive.
            answer, _ = engine.ask(change=("return 2", "return 2 "))
            self.assertEqual((answer["code"], answer["ended"]), (0, 0))
            hello, ran = engine.ask(to=2)
            self.assertEqual((hello["hazards"], ran), ([], [0, 1]))
            self.assertNotEqual(hello["pid"], engine.hello["pid"])
            answer, ran = engine.ask()
            self.assertEqual((answer["by"], answer["code"], ran), (hello["pid"], 0, [2, 3, 4]))
            answer, ran = engine.ask(change=("return 2", "return 9"))
            self.assertEqual((answer["code"], answer["failed_at"], ran), (1, 3, [2, 3]), answer)
            # What ran is late; what can be put in place nowhere is no news.
            answer, _ = engine.ask(change=("return 1", "return 9"))
            self.assertEqual((answer["late"], answer["refused"]), (True, "`early` ran before the tests"))
            answer, _ = engine.ask(change=("def idle()", "def idle(n=1)"))
            self.assertIs(answer["late"], False)
            # Further on in the same process, then back.
            again, ran = engine.ask(to=4)
            self.assertEqual((again["pid"], ran), (hello["pid"], [2, 3]))
            answer, _ = engine.ask(change=("return 2", "return 9"))
            self.assertIs(answer["late"], True)
            answer, _ = engine.ask(change=("return 1", "return 9"))
            self.assertIs(answer["late"], True)
            answer, _ = engine.ask(back=True)
            self.assertEqual((answer["by"], answer["alone"]), (engine.hello["pid"], True))
            answer, ran = engine.ask(change=("return 1", "return 9"))
            self.assertEqual((answer["code"], answer["failed_at"], ran), (1, 0, [0]))

    def test_one_that_stands_after_the_last_test_judges_what_none_of_them_enters(self):
        with Engine() as engine:
            hello, ran = engine.ask(to=5)
            self.assertEqual((hello["hazards"], ran), ([], [0, 1, 2, 3, 4]))
            answer, ran = engine.ask(change=("return 3", "return 9"))
            self.assertEqual((answer["by"], answer["code"], answer["ended"], ran), (hello["pid"], 0, 0, []))
            answer, _ = engine.ask(change=("return 2", "return 9"))
            self.assertEqual((answer["late"], answer["code"]), (True, None))

    def test_a_child_runs_no_test_after_the_last_that_is_asked_for(self):
        with Engine() as engine:
            engine.ask(to=1)
            answer, ran = engine.ask(until=3)
            self.assertEqual((answer["code"], ran), (0, [1, 2, 3]))

    def test_what_a_child_in_the_middle_leaves_is_ended_too(self):
        with Engine("(daemon() or True)") as engine:
            hello, _ = engine.ask(to=1)
            answer, _ = engine.ask()
            self.assertEqual((answer["code"], answer["alone"]), (0, True))
            path = "/proc/{}/task/{}/children".format(*[engine.hello["pid"]] * 2)
            with open(path) as file:
                self.assertEqual(file.read().split(), [str(hello["pid"])])

    def test_that_other_programs_ran_is_told_of_the_way_they_ran_on(self):
        with Engine("not os.system('true')") as engine:
            told = [engine.hello["starts"]]
            for to in (4, 5):
                hello, _ = engine.ask(to=to)
                self.assertEqual(hello["hazards"], [])
                told.append(hello["starts"])
            self.assertEqual(told, [False, False, True])

    def test_what_a_process_holds_beside_its_tree_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            tree, private = os.path.join(folder, "tree"), os.path.join(folder, "tmp")
            for place in (tree, private):
                os.mkdir(place)
            for what, held in (
                ("open('own', 'w').close(); HELD = open('own')", []),
                ("open('../tmp/x', 'w').close(); HELD = open('../tmp/x')", ["it holds " + private + "/x"]),
                ("HELD = os.open('../tmp', os.O_RDONLY)", ["it holds " + private]),
                ("HELD = open('../tmp/y', 'w'); os.unlink('../tmp/y')", []),
                ("os.chdir('../tmp')", ["it holds " + private]),
                ("os.mkdir('../gone'); os.chdir('../gone'); os.rmdir('../gone')", ["it works in a directory that is gone"]),
            ):
                text = "import os\nfrom adequacy_worker import hazards\n{}\nprint(*hazards.beside({!r}), sep='\\n')"
                argv = [sys.executable, "-c", text.format(what, tree)]
                told = subprocess.run(argv, cwd=tree, stdout=subprocess.PIPE, check=True).stdout.decode()
                self.assertEqual(told.split("\n")[:-1], held or [""], what)

    def test_where_a_test_fails_before_the_place_the_worker_answers_itself(self):
        with Engine("False") as engine:
            answer, _ = engine.ask(to=5)
            self.assertEqual((answer["by"], answer["code"]), (engine.hello["pid"], 1))
            answer, ran = engine.ask(until=3)
            self.assertEqual((answer["code"], ran), (0, [0, 1, 2, 3]))


class OfUnittest(unittest.TestCase):
    """The same of unittest's own program."""

    def test_a_child_that_is_sent_on_serves_before_the_fixtures_of_its_test(self):
        with Engine(units=UNITS.format(begins="", ends="")) as engine:
            self.assertEqual(engine.hello["hazards"], [])
            whole = [100, 110, 0, 1, 111, 120, 2, 3, 4, 101]
            answer, ran = engine.ask()
            self.assertEqual((answer["code"], answer["ended"], ran), (0, 0, whole))
            for to, before in ((1, 3), (2, 4), (3, 7), (5, 9)):
                hello, ran = engine.ask(to=to)
                self.assertEqual(hello["hazards"], [])
                self.assertEqual(ran, whole[{1: 0, 2: 3, 3: 4, 5: 7}[to] : before])
                answer, ran = engine.ask()
                self.assertEqual((answer["code"], answer["ended"], ran), (0, 0, whole[before:]))
                answer, ran = engine.ask(change=("return 2", "return 9"))
                if to == 5:
                    self.assertIs(answer["late"], True)
                else:
                    self.assertEqual((answer["code"], answer["failed_at"], ran[-2:]), (1, 3, [3, 101]))
                    self.assertEqual(answer["failed"], "units.Later.test_3")
                answer, _ = engine.ask(change=("return 1", "return 9"))
                self.assertIs(answer["late"], True)
            answer, _ = engine.ask(back=True)
            answer, ran = engine.ask(change=("return 1", "return 9"))
            self.assertEqual((answer["code"], answer["failed_at"], ran), (1, 0, [100, 110, 0, 111, 101]))

    def test_a_child_runs_no_test_after_the_last_that_is_asked_for(self):
        with Engine(units=UNITS.format(begins="", ends="")) as engine:
            answer, ran = engine.ask(until=0)
            self.assertEqual((answer["code"], ran), (0, [100, 110, 0, 111, 101]))
            engine.ask(to=1)
            for until, ran in ((1, [1, 111, 101]), (3, [1, 111, 120, 2, 3, 101]), (5, [1, 111, 120, 2, 3, 4, 101])):
                self.assertEqual(engine.ask(until=until)[1], ran)

    def test_a_fixture_that_fails_is_of_the_test_that_follows(self):
        fails = "assert product.late([0]) == [2]"
        for at, ways in ((2, {"begins": fails, "ends": ""}), (2, {"begins": "", "ends": fails})):
            with Engine(units=UNITS.format(**ways)) as engine:
                engine.ask(to=1)
                answer, _ = engine.ask(change=("return 2", "return 9"))
                self.assertEqual((answer["code"], answer["failed_at"]), (1, at), ways)
                answer, _ = engine.ask(until=at)
                self.assertEqual(answer["code"], 0)


if __name__ == "__main__":
    unittest.main()
