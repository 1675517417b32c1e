"""What a forked child would share with its parent, or miss, so that it would not do what a process of
its own does."""

from __future__ import annotations

import os
import signal
import stat
import sys
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from . import network

# Plugins by the names they register under that make more of a run than its tests one after the other, or
# something else each time. Those that are only installed register under other names.
PLUGINS = {
    "dsession": "pytest-xdist has workers",
    "_cov": "pytest-cov measures",
    "randomly": "pytest-randomly shuffles",
    "random_order": "pytest-random-order shuffles",
    "rerunfailures": "pytest-rerunfailures runs tests again",
    "flaky": "flaky runs tests again",
    "pytest_forked": "pytest-forked forks",
    "stepwiseplugin": "pytest remembers where it stopped",
}

# Modules that put something of their own in the place of threads, forks or code.
MODULES = {
    "gevent": "gevent is loaded",
    "eventlet": "eventlet is loaded",
    "numba": "numba compiles functions from their code",
}

# Of an open file that is to be as it was for each child, the largest part that is kept.
MOST = 1 << 20


class Descriptors:
    """The open files of this process: those all children write to, and those to bring back after each."""

    def __init__(self, ours: Set[int], outputs: Set[Tuple[int, int]]) -> None:
        self.outputs: List[int] = []
        self.files: List[Tuple[int, int, Optional[bytes]]] = []
        self.hazards: List[str] = []
        for descriptor in opened():
            if descriptor not in ours:
                self.look(descriptor, outputs)

    def look(self, descriptor: int, outputs: Set[Tuple[int, int]]) -> None:
        met = os.fstat(descriptor)
        if (met.st_dev, met.st_ino) in outputs:
            self.outputs.append(descriptor)
        elif stat.S_ISREG(met.st_mode):
            at = os.lseek(descriptor, 0, os.SEEK_CUR)
            if not is_writable(descriptor):
                self.files.append((descriptor, at, None))
            elif met.st_nlink == 0 and met.st_size <= MOST:
                self.files.append((descriptor, at, os.pread(descriptor, met.st_size, 0)))
            else:
                self.hazards.append("a file is open for writing: {}".format(target(descriptor)))
        elif not (stat.S_ISDIR(met.st_mode) or stat.S_ISCHR(met.st_mode)):
            self.hazards.append("it holds {}".format(target(descriptor)))

    def redirect(self, output: int) -> None:
        """In a child: what it writes goes to `output`."""
        for descriptor in self.outputs:
            os.dup2(output, descriptor, inheritable=os.get_inheritable(descriptor))

    def bring_back(self) -> None:
        """After a child, which shares what it knows of files that were open before it."""
        for descriptor, at, content in self.files:
            if content is not None:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, content, 0)
            os.lseek(descriptor, at, os.SEEK_SET)


def opened() -> List[int]:
    listed = [int(name) for name in os.listdir("/proc/self/fd")]
    return sorted(one for one in listed if is_open(one))


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False  # that of the listing itself
    return True


def target(descriptor: int) -> str:
    try:
        return os.readlink("/proc/self/fd/{}".format(descriptor))
    except OSError:
        return "something unknown"


def is_writable(descriptor: int) -> bool:
    with open("/proc/self/fdinfo/{}".format(descriptor)) as file:
        for line in file:
            if line.startswith("flags:"):
                return int(line.split()[1], 8) & os.O_ACCMODE != os.O_RDONLY
    return True


def of_process() -> Iterator[str]:
    """What can be seen of the process itself."""
    if len(os.listdir("/proc/self/task")) > 1:
        yield "it has threads"
    try:
        if children():
            yield "it has child processes"
    except OSError:
        yield "the kernel does not list child processes"
    with open("/proc/self/maps") as file:
        if any(line.split()[1].startswith("rw") and line.split()[1].endswith("s") for line in file):
            yield "it has memory that children would share"
    if signal.getsignal(signal.SIGCHLD) != signal.SIG_DFL:
        yield "it handles the end of child processes itself"
    if sys.gettrace() is not None or sys.getprofile() is not None:
        yield "a trace or profile function is set"
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None and any(monitoring.get_tool(tool) is not None for tool in range(6)):
        yield "a tool of sys.monitoring is in use"
    for name, words in MODULES.items():
        if name in sys.modules:
            yield words
    events = sys.modules.get("asyncio.events")
    if events is not None and events._get_running_loop() is not None:
        yield "an event loop runs"


def beside(root: str) -> Iterator[str]:
    """What the process holds of the private places beside its tree, which are made again for each child."""
    held = [target(one) for one in opened() if os.fstat(one).st_nlink > 0]
    try:
        held.append(os.getcwd())
    except OSError:
        yield "it works in a directory that is gone"
    for path in held:
        if path.startswith(os.path.dirname(root) + os.sep) and not (path + os.sep).startswith(root + os.sep):
            yield "it holds {}".format(path)


def of_program() -> Iterator[str]:
    """Whether something else than pytest's own program stands between its status and the process's."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        own = spec.name in ("pytest.__main__", "pytest")
    else:
        own = os.path.basename(getattr(main, "__file__", "")) in ("pytest", "py.test")
    if not own:
        yield "the program that runs is not pytest itself"


def children(process: str = "self") -> List[int]:
    found = []
    for thread in os.listdir("/proc/{}/task".format(process)):
        with open("/proc/{}/task/{}/children".format(process, thread)) as file:
            found += [int(word) for word in file.read().split()]
    return found


def of_session(session: Any) -> Iterator[str]:
    """What pytest's own objects tell."""
    manager = session.config.pluginmanager
    for name, words in PLUGINS.items():
        if manager.has_plugin(name):
            yield words
    if session.testsfailed:
        yield "not all tests could be collected"
    yield from of_program()


def left(places: List[str]) -> Tuple[Dict[str, List[str]], int]:
    """What lies at places that outlive a process: names in a folder, lines of a file of the kernel's. Those
    connections are only counted which the next one may find."""
    found: Dict[str, List[str]] = {}
    closed, ports = 0, network.chosen_by_kernel()
    for place in places:
        try:
            if os.path.isdir(place):
                found[place] = sorted(os.listdir(place))
            else:
                with open(place) as file:
                    found[place] = file.read().splitlines()[1:]
                if place.startswith(network.LISTS):
                    found[place], more = network.parted(found[place], ports)
                    closed += more
        except OSError:
            found[place] = []
    return found, closed
