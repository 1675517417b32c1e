"""A process that starts before the first test, at the other end of a socket."""

import socket
import subprocess
import sys
import unittest

import hazards

assert hazards

OURS, ITS = socket.socketpair()
SERVE = "import hazards\nfor line in open(0): print(hazards.other_process(), flush=True)\n"
CHILD = subprocess.Popen([sys.executable, "-c", SERVE], stdin=ITS, stdout=ITS)
ITS.close()


class Child(unittest.TestCase):
    def test_child(self):
        OURS.sendall(b"?\n")
        self.assertEqual(int(OURS.recv(100)), 70)


def tearDownModule():
    OURS.close()
    CHILD.kill()
    CHILD.wait()
