"""What code is alive in this process, what of it ran already, and which sources were read."""

from __future__ import annotations

import gc
import os
import resource
import sys
import threading
import warnings
from types import AsyncGeneratorType, CodeType, CoroutineType, FrameType, FunctionType, GeneratorType
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple

try:
    from _lsprof import Profiler
except ImportError:
    Profiler = None

from .readers import Reading, keeps_nothing
from .swap import Alive, Key, Late, Refused, key_of, plan

# The numbers of tools for `sys.monitoring` that no kind of tool claims.
FREE_TOOLS = (4, 3)

# Events at which another program begins, of which nothing is seen here.
STARTS = {"os.posix_spawn", "os.system", "subprocess.Popen"}

# Events at which this program goes on in another process, or ends.
FORKS = {"os.exec", "os.fork", "os.forkpty"}


class Watch:
    """Notes from now on which code runs, and which sources are opened by others than those who keep nothing."""

    def __init__(self) -> None:
        # By identity: to hash code is slow.
        self.ran: Dict[int, CodeType] = {}
        self.opened: Set[str] = set()
        self.forked = False
        # Whether another program was started since it last went on.
        self.starts = False
        # What processes that ended had taken when it did.
        self.ended = 0
        # The sources that were loaded before: nobody knows what of them ran.
        self.earlier = loaded()
        self.tool: Optional[int] = None
        self.watches = False
        self.reading = Reading()
        # Where nothing is cheaper, before Python 3.12, for this thread; a function for the others.
        has_profiler = Profiler is not None and not hasattr(sys, "monitoring")
        self.profiler = Profiler(builtins=False) if has_profiler else None

    def start(self) -> None:
        sys.addaudithook(self.audit)
        # A function that is to run in a new process before its program begins is told by no event.
        os.register_at_fork(before=self.forks)
        self.go_on()

    def go_on(self) -> None:
        self.watches, self.starts, self.ended = True, False, taken_by_ended()
        self.reading.start()
        monitoring = getattr(sys, "monitoring", None)
        if self.profiler is not None:
            threading.setprofile(self.profile)
            self.profiler.enable()
        if monitoring is None:
            return
        for tool in FREE_TOOLS:
            if monitoring.get_tool(tool) is None:
                monitoring.use_tool_id(tool, "adequacy")
                self.tool = tool
                self.listen(monitoring)
                return

    def listen(self, monitoring: Any) -> None:
        events = monitoring.events
        for event in (events.PY_START, events.PY_RESUME):
            monitoring.register_callback(self.tool, event, self.begins)
        monitoring.set_events(self.tool, events.PY_START | events.PY_RESUME)

    def begins(self, code: CodeType, offset: int) -> object:
        self.ran[id(code)] = code
        return sys.monitoring.DISABLE

    def profile(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            self.ran[id(frame.f_code)] = frame.f_code

    def take(self) -> List[CodeType]:
        """What ran since this was last asked."""
        ran = list(self.ran.values())
        self.ran.clear()
        if self.profiler is not None:
            ran += [one.code for one in self.profiler.getstats() if type(one.code) is CodeType]
            self.profiler.clear()
        if self.tool is not None:
            sys.monitoring.restart_events()
        return ran

    def audit(self, event: str, arguments: Any) -> None:
        # It cannot be removed, only told to do nothing.
        if not self.watches:
            return
        if event in STARTS:
            self.starts = True
        elif event in FORKS:
            self.forks()
        elif event == "open":
            path = arguments[0]
            if isinstance(path, bytes):
                path = os.fsdecode(path)
            if isinstance(path, str) and path.endswith(".py") and not keeps_nothing():
                self.opened.add(path)

    def forks(self) -> None:
        self.forked = self.forked or self.watches

    def stop(self) -> Optional[str]:
        """Ends it; gives why what it saw is not enough."""
        self.watches = False
        self.reading.end()
        lost = self.stop_listening()
        # Such as one that was started behind the interpreter's back.
        self.forked = self.forked or (not self.starts and taken_by_ended() != self.ended)
        return "it goes on in another process before the tests" if self.forked else lost

    def stop_listening(self) -> Optional[str]:
        monitoring = getattr(sys, "monitoring", None)
        if self.profiler is not None:
            theirs = sys.getprofile() is not self.profiler
            self.profiler.disable()
            sys.setprofile(None)
            threading.setprofile(None)
            return "something else set a profile function" if theirs else None
        if monitoring is None or self.tool is None or monitoring.get_tool(self.tool) != "adequacy":
            return "what runs cannot be watched"
        lost = not monitoring.get_events(self.tool) & monitoring.events.PY_START
        monitoring.set_events(self.tool, 0)
        for event in (monitoring.events.PY_START, monitoring.events.PY_RESUME):
            monitoring.register_callback(self.tool, event, None)
        monitoring.free_tool_id(self.tool)
        return "something else stopped watching what runs" if lost else None


def taken_by_ended() -> int:
    """The pages that child processes touched that ended: some for each."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


class Tree:
    """Tells whose code is whose: ours is that of files below `root`."""

    def __init__(self, root: str) -> None:
        self.root = root
        # Whether code of a file of this name is ours.
        self.known: Dict[str, bool] = {}

    def holds(self, code: CodeType) -> bool:
        name = code.co_filename
        if name not in self.known:
            # Such as `<string>`: no file, which would be taken for one below the working directory.
            named = not name.startswith("<")
            self.known[name] = named and os.path.realpath(name).startswith(self.root + os.sep)
        return self.known[name]

    def path(self, name: str) -> str:
        """Where a file is below the root."""
        return os.path.relpath(os.path.realpath(name), self.root)


class Census:
    """The code below `root` in this process, as it is when the census is taken.

    `earlier` is the one before it of the same process, whose first is that of before the first test.
    """

    def __init__(self, root: str, watch: Watch, earlier: Optional[Census] = None) -> None:
        self.tree = Tree(root)
        self.first = earlier and (earlier.first or earlier)
        self.alive = Alive()
        self.alive.executed = {key_of(code): None for code in watch.take() if self.tree.holds(code)}
        if earlier is not None:
            self.alive.executed.update(earlier.alive.executed)
            # Code that we hold would look like code that is alive.
            earlier.forget()
        self.look()
        # The names under which code knows a source, by where that really is.
        self.names: Dict[str, Set[str]] = {}
        for keys in (self.alive.functions, self.alive.executed, self.alive.held):
            for name, _, _ in keys:
                self.names.setdefault(os.path.realpath(name), set()).add(name)
        self.earlier = watch.earlier
        self.read = {os.path.realpath(path) for path in watch.opened}
        self.loaded = loaded()
        # Read once: who opens a source later is seen by the engine.
        known = earlier.sources if earlier is not None else {}
        self.sources = {path: known[path] if path in known else content(path) for path in self.names}
        self.compiled: Dict[str, Compiled] = {}

    def look(self) -> None:
        for thing in gc.get_objects():
            kind = type(thing)
            if kind is FunctionType:
                if self.tree.holds(thing.__code__):
                    self.alive.functions.setdefault(key_of(thing.__code__), []).append(thing)
                continue
            if kind is GeneratorType:
                codes = [thing.gi_code]
            elif kind is CoroutineType:
                codes = [thing.cr_code]
            elif kind is AsyncGeneratorType:
                codes = [thing.ag_code]
            else:
                codes = [one for one in gc.get_referents(thing) if type(one) is CodeType]
            for code in codes:
                if self.tree.holds(code):
                    self.alive.held[key_of(code)] = None

    def plan(self, files: List[str]) -> List[Callable[[], None]]:
        """The steps that make the functions of these sources, paths below the root, do what the files say now.

        Raises `Refused` where that cannot be.
        """
        try:
            return self.steps(files)
        except Refused as refused:
            if self.first is None:
                raise
            self.first.steps(files)
            raise Late(str(refused)) from None

    def steps(self, files: List[str]) -> List[Callable[[], None]]:
        steps: List[Callable[[], None]] = []
        for file in files:
            path = os.path.realpath(os.path.join(self.tree.root, file))
            if path in self.earlier:
                raise Refused("it was loaded before the worker was")
            if path in self.read:
                raise Refused("its source was read before the tests")
            names = self.names.get(path)
            if names is None:
                if path in self.loaded:
                    raise Refused("it was loaded without code that is known")
                continue  # whoever loads it later finds it on disk
            new = content(path)
            for name in sorted(names):
                before, now = self.loaded_code(path, name), compiled(new, name)
                if before.warned != now.warned:
                    # Loading it would warn, and there may be who makes an error of that.
                    raise Refused("compiling it warns of something else")
                steps += plan(before.code, now.code, self.alive)
        return steps

    def forget(self) -> None:
        for census in filter(None, (self, self.first)):
            census.compiled.clear()

    def loaded_code(self, path: str, name: str) -> Compiled:
        """What the source that was loaded under this name compiles to."""
        if name not in self.compiled:
            self.compiled[name] = compiled(self.sources[path], name)
        return self.compiled[name]


class Compiled(NamedTuple):
    """What a source compiles to, and what the compiler warns of."""

    code: CodeType
    warned: List[Tuple[str, str]]


def compiled(source: bytes, name: str) -> Compiled:
    try:
        # Noted and not shown: to show a warning would read the source, which then is remembered.
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            code: CodeType = compile(source, name, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused("it does not compile: {}".format(error)) from None
    return Compiled(code, sorted((one.category.__name__, str(one.message)) for one in seen))


def content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def loaded() -> Set[str]:
    """Where the sources of all modules are."""
    found = set()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str):
            found.add(os.path.realpath(path))
    return found
