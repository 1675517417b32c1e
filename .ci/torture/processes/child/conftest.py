"""A process that starts before the first test, at the other end of a socket."""

import socket
import subprocess
import sys

import pytest

OURS, ITS = socket.socketpair()
SERVE = "import hazards\nfor line in open(0): print(hazards.other_process(), flush=True)\n"
CHILD = subprocess.Popen([sys.executable, "-c", SERVE], stdin=ITS, stdout=ITS)
ITS.close()


@pytest.fixture
def ask():
    def asked():
        OURS.sendall(b"?\n")
        return int(OURS.recv(100))

    return asked
