"""Speaks with the engine, forks the children and watches over them.

One message is one packet of JSON. The engine sends `{"files": [...], "limit_s": ...}` with a descriptor
that takes what the child writes; the answer says how the child ended and what it told of itself. A child
that is sent on (`to`) answers in its parent's place until it is called back: see `course`.
"""

from __future__ import annotations

import array
import atexit
import fcntl
import gc
import json
import os
import resource
import signal
import socket
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from . import network
from .hazards import Descriptors, children, left
from .swap import Late, Refused

# The largest message.
PACKET = 1 << 16

# How long processes that a child left are killed before nobody vouches that they are gone.
BOUND_S = 10.0


# What a child may say of itself: why it could not begin, the test that failed and its number, the status
# that the runner came to, and that it bound a port by its number.
TOLD = ("refused", "failed", "failed_at", "ended", "by_number")

# Why a child's answer does not stand that another process of its own might not give.
BY_NUMBER = "it binds a port by its number, and connections that were closed before are remembered"

# What a child does before it goes on: one of the steps that put changed files in place.
Step = Callable[[], None]

# Finds these steps for changed files, or raises `Refused`.
Plan = Callable[[List[str]], List[Step]]

Answer = Dict[str, Any]

# The answer where no child was made.
NOTHING_RAN: Answer = {
    "code": None,
    "signal": None,
    "timed_out": False,
    "wall_s": 0.0,
    "cpu_s": 0.0,
    "written": 0,
    "alone": True,
    **dict.fromkeys(TOLD),
}


class Channel:
    """The engine's end is what this process found as its standard input."""

    def __init__(self) -> None:
        self.socket = socket.socket(fileno=fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 3))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    def send(self, message: Dict[str, Any]) -> None:
        try:
            self.socket.sendall(json.dumps(message).encode())
        except BrokenPipeError:
            os._exit(0)  # nobody is there any more

    def receive(self) -> Optional[Tuple[Dict[str, Any], List[int]]]:
        """The next request and the descriptor for what the child writes, if any; nothing at the end."""
        room = socket.CMSG_SPACE(array.array("i", [0]).itemsize)
        text, ancillary, _, _ = self.socket.recvmsg(PACKET, room, socket.MSG_CMSG_CLOEXEC)
        if not text:
            return None
        descriptors = array.array("i")
        for _, _, data in ancillary:
            descriptors.frombytes(data)
        return json.loads(text), list(descriptors)


class Note:
    """A child's own pipe to its parent, for what a status does not say."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.inode = os.fstat(descriptor).st_ino
        self.said: Set[str] = set()

    def write(self, name: str, value: object) -> None:
        """Says one thing, the first time: nobody reads it before the child's end."""
        if name in self.said:
            return
        self.said.add(name)
        try:
            # A test may have closed it, and something else may be open under its number.
            if os.fstat(self.descriptor).st_ino == self.inode:
                os.write(self.descriptor, json.dumps({name: value}).encode() + b"\n")
        except OSError:
            pass


class Server:
    """Answers the engine until that is gone; only children return from it."""

    def __init__(self) -> None:
        self.channel = Channel()
        # The pipe or file that is this process's output.
        self.outputs = {(met.st_dev, met.st_ino) for met in map(os.fstat, (1, 2))}
        # Its CPU time when it was last asked to go on.
        self.since = 0.0
        # A child has what its parent watches with.
        self.watches_network = False
        # In a child, and nowhere else: its pipe, and what it was asked.
        self.note: Optional[Note] = None
        self.request: Dict[str, Any] = {}

    def serve(
        self,
        hazards: List[str],
        places: List[str],
        plan: Plan,
        starts: bool = False,
    ) -> None:
        """Says hello, then forks a child for each request that `plan` does not refuse.

        `places` outlive a process and are to be the same after each child. `starts` tells that other programs
        ran since it last served.
        """
        ours = {self.channel.socket.fileno()}
        if self.note is not None:
            ours.add(self.note.descriptor)
        descriptors = Descriptors(ours, self.outputs)
        hazards = hazards + descriptors.hazards
        if self.note is not None and "by_number" in self.note.said:
            hazards.append("it bound a port by its number")
        gc.collect()
        # What is here now is shared with all children as long as nobody counts through it.
        gc.freeze()
        hello = {
            "pid": os.getpid(),
            "hazards": hazards[:9],
            "starts": starts,
            "cpu_s": time.process_time() - self.since,
        }
        self.channel.send(hello)
        before, closed = left(places)
        if not self.watches_network:
            self.watches_network = True
            network.watch(self.binds_by_number)
        while True:
            received = self.channel.receive()
            if received is None or "back" in received[0]:
                os._exit(0)
            request, given = received
            if self.note is not None and "to" in request:
                self.take_over(request, given, descriptors)
                return
            began = time.process_time()
            try:
                steps = plan(request["files"])
            except Refused as refused:
                refusal = {"refused": str(refused)[:500], "late": isinstance(refused, Late)}
                answer: Optional[Answer] = {**NOTHING_RAN, **refusal}
                close(given)
            else:
                answer = self.fork(request, given, descriptors, steps)
            if answer is None:
                return
            descriptors.bring_back()
            found_closed = closed
            now, closed = left(places)
            if answer.pop("by_number") and found_closed:
                answer["refused"] = BY_NUMBER
            answer["by"] = os.getpid()
            answer["cpu_s"] += time.process_time() - began
            answer["left"] = [place for place in places if now[place] != before[place]]
            self.channel.send(answer)

    def binds_by_number(self) -> None:
        if self.note is not None:
            self.note.write("by_number", True)

    def take_over(
        self, request: Dict[str, Any], given: List[int], descriptors: Descriptors
    ) -> None:
        """In a child: does what is asked, and writes where it is told to."""
        self.since = time.process_time()
        (output,) = given
        met = os.fstat(output)
        descriptors.redirect(output)
        os.close(output)
        self.outputs = {(met.st_dev, met.st_ino)}
        self.request = request

    def fork(
        self,
        request: Dict[str, Any],
        given: List[int],
        descriptors: Descriptors,
        steps: List[Step],
    ) -> Optional[Answer]:
        """One child, which takes these steps first, and what became of it; nothing in the child itself."""
        flush()
        read, write = os.pipe()
        usual = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        drawn = numbers_drawn()
        process = os.fork()
        if process == 0:
            parents, self.note = self.note, Note(write)
            try:
                os.setpgid(0, 0)
                signal.pthread_sigmask(signal.SIG_SETMASK, usual)
                if parents is not None:
                    os.close(parents.descriptor)
                if "to" not in request:
                    self.channel.socket.close()
                os.close(read)
                self.take_over(request, given, descriptors)
                draw_on(drawn)
                for step in steps:
                    step()
            except BaseException as error:
                self.note.write("refused", "{}: {}".format(type(error).__name__, error)[:500])
                os._exit(0)
            return None
        close([write, *given])
        status, over = wait(process, began + request["limit_s"])
        wall = time.monotonic() - began
        alone = end_all(self.note is not None)
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer: Answer = {
            "code": os.WEXITSTATUS(status) if not over and os.WIFEXITED(status) else None,
            "signal": os.WTERMSIG(status) if not over and os.WIFSIGNALED(status) else None,
            "timed_out": over,
            "wall_s": wall,
            "cpu_s": now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime,
            "written": (now.ru_oublock - used.ru_oublock) * 512,
            "alone": alone,
        }
        answer.update(told(read))
        return answer

    def end(self, status: int) -> None:
        """In a child whose runner is done: ends it as the interpreter would, but for taking everything apart,
        and says so."""
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        flush()
        if self.note is not None:
            self.note.write("ended", status)
        os._exit(status)


def close(descriptors: List[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def wait(process: int, deadline: float) -> Tuple[int, bool]:
    """Waits for a child and reaps whoever else ends; its status, and whether it was over its time."""
    while True:
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == process:
                return status, False
            if ended == 0:
                break
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            return 0, True
        signal.sigtimedwait([signal.SIGCHLD], remaining)


def end_all(is_child: bool) -> bool:
    """Kills whatever a child left, and itself where it lives; whether the kernel says that none is left.

    The worker is the reaper of all that descends from it, so whoever loses a parent becomes a child of
    its: of this process, or where that is itself a child, of its parent, who waits for them.
    """
    bound = time.monotonic() + BOUND_S
    while time.monotonic() < bound:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            # A list that is read while one of them ends may lack another: it is read twice.
            if not is_child or not (siblings() or siblings()):
                return True
            ended = 0
        if ended == 0:
            for child in children() + (siblings() if is_child else []):
                try:
                    os.kill(child, signal.SIGKILL)
                except OSError:
                    pass
            signal.sigtimedwait([signal.SIGCHLD], 0.002)
    return False


def siblings() -> List[int]:
    return [one for one in children(str(os.getppid())) if one != os.getpid()]


def told(read: int) -> Dict[str, Any]:
    """What a child that is gone said of itself."""
    said: Dict[str, Any] = {}
    with open(read, "rb") as file:
        for line in file.read(PACKET // 4).splitlines():
            try:
                said.update(json.loads(line))
            except ValueError:
                pass
    return {name: said.get(name) for name in TOLD}


def flush() -> None:
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            if stream is not None:
                stream.flush()
        except (AttributeError, OSError, ValueError):
            pass  # such as one that a test framework put there, or that is closed


def numbers_drawn() -> Any:
    """Where the standard library's random numbers are: a fork seeds them anew, a process of its own has
    what was seeded while it started."""
    random = sys.modules.get("random")
    return random.getstate() if random is not None else None


def draw_on(drawn: Any) -> None:
    if drawn is not None:
        sys.modules["random"].setstate(drawn)
