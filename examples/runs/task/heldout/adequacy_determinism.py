"""Runs a command and asks each question to functions of the product three times, in two processes.

    python3 adequacy_determinism.py TARGET... -- SCRIPT WORD...
    python3 adequacy_determinism.py TARGET... -- -m MODULE WORD...
    python3 adequacy_determinism.py TARGET... --cases CASES.json

Written by `adequacy probes`; needs the standard library alone. A TARGET is FILE:FUNCTION, a function of a
file of the current directory, with =SHAPE;SHAPE where the shapes of its answers are asked. The script or
module runs in this process. Where it calls a target, another process calls the function and sends back its
answer as plain data: no object of the product's own, and no look at who asks, comes through. Exit 1 if the
script fails, if a target was never called, or if a call could not be made in that way.
"""

import gc
import importlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import runpy
import subprocess
import sys
import threading
import traceback
import types

KIND = "determinism"
SURVEY = "--survey"

# What the authors of solutions that are called by cases take for granted, put before such a solution.
TAKEN_FOR_GRANTED = """
import bisect, collections, functools, heapq, itertools, math, operator, random, re, string, sys
from bisect import *
from collections import *
from functools import *
from heapq import *
from itertools import *
from math import *
from typing import *
from builtins import *
"""


class NotPlain(Exception):
    """Holds the name of a type that cannot be sent."""


def plain(value):
    """The value as JSON that keeps exact types; a subclass of a plain type is not plain."""
    kind = type(value)
    if value is None:
        return ["NoneType"]
    if kind is bool or kind is str:
        return [kind.__name__, value]
    if kind is int:
        return ["int", hex(value)]
    if kind is float:
        return ["float", value.hex()]
    if kind is bytes:
        return ["bytes", value.hex()]
    try:
        if kind is list or kind is tuple:
            return [kind.__name__, [plain(item) for item in value]]
        if kind is set or kind is frozenset:
            return [kind.__name__, sorted(map(plain, value), key=json.dumps)]
        if kind is dict:
            return ["dict", [[plain(name), plain(item)] for name, item in value.items()]]
    except RecursionError:
        raise NotPlain("structure that is too deep") from None
    raise NotPlain(kind.__name__)


def value_of(sent):
    kind, held = sent[0], sent[1] if len(sent) > 1 else None
    if kind == "NoneType":
        return None
    if kind == "int":
        return int(held, 16)
    if kind == "float":
        return float.fromhex(held)
    if kind == "bytes":
        return bytes.fromhex(held)
    if kind == "dict":
        return {value_of(name): value_of(item) for name, item in held}
    if kind in ("list", "tuple", "set", "frozenset"):
        makers = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
        return makers[kind](map(value_of, held))
    return held


def shape_of(sent, depth=2):
    """The type of a plain value, with the types of what it holds."""
    kind = sent[0]
    if depth == 0 or kind not in ("list", "tuple", "set", "frozenset", "dict"):
        return kind
    if kind == "dict":
        held = sorted({"{}:{}".format(*(shape_of(one, depth - 1) for one in pair)) for pair in sent[1]})
    else:
        held = sorted({shape_of(item, depth - 1) for item in sent[1]})
    return "{}[{}]".format(kind, ",".join(held))


class Worker:
    """The other process."""

    def __init__(self, seed=None):
        down, self.sink = os.pipe()
        self.source, up = os.pipe()
        environment = dict(os.environ, **({"PYTHONHASHSEED": seed} if seed else {}))
        flags = getattr(subprocess, "_args_from_interpreter_flags", list)()
        words = [sys.executable, *flags, os.path.abspath(__file__), "--serve", str(down), str(up)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, pass_fds=[down, up], env=environment, cwd=HERE
        )
        os.close(down)
        os.close(up)
        self.source, self.sink = os.fdopen(self.source), os.fdopen(self.sink, "w")

    def ask(self, question):
        try:
            self.sink.write(json.dumps(question) + "\n")
            self.sink.flush()
            line = self.source.readline()
        except OSError:
            line = ""
        return json.loads(line) if line.endswith("\n") else {"refused": "ends the process that calls it"}

    def end(self):
        for pipe in (self.sink, self.source):
            try:
                pipe.close()
            except OSError:
                pass
        self.process.wait()


HERE = os.getcwd()
LOCK = threading.RLock()
WORKERS = {}


def worker(seed=None):
    """The worker of this process; a forked child has its own."""
    key = os.getpid(), seed
    if key not in WORKERS:
        WORKERS[key] = Worker(seed)
    return WORKERS[key]


def serve(source, sink):
    """The life of the other process: a question a line, an answer a line."""
    loaded = {}
    with os.fdopen(source) as questions, os.fdopen(sink, "w") as answers:
        for line in questions:
            answers.write(json.dumps(answer(loaded, json.loads(line))) + "\n")
            answers.flush()


def answer(loaded, question):
    given = value_of(question["given"])
    try:
        function = find(loaded, question)
        found = function(*given[0], **given[1])
    except BaseException as error:
        return raised(error)
    try:
        if plain(given) != question["given"]:
            return {"refused": "changes what it is given"}
        return {"value": plain(found)}
    except NotPlain as error:
        return {"refused": "returns a {}, which is no plain value".format(error)}


def raised(error):
    try:
        given = plain(list(error.args))
    except NotPlain as kind:
        return {"refused": "raises an exception that holds a {}".format(kind)}
    return {"raised": [type(error).__module__, type(error).__qualname__, given]}


def find(loaded, question):
    """The function, of the module that the first question about it loads."""
    file, name = question["file"], question["function"]
    if file not in loaded:
        sys.path[:] = question["path"]
        loaded[file] = solution(file) if question["module"] is None else module(file, question["module"])
    names = loaded[file]
    # A method of the class that such solutions are written as; made anew for each case.
    if question["module"] is None and "Solution" in names:
        return getattr(names["Solution"](), name)
    return names[name]


def module(file, name):
    try:
        found = importlib.import_module(name)
    except ImportError:
        found = None
    if found is None or os.path.realpath(getattr(found, "__file__", None) or "") != file:
        spec = importlib.util.spec_from_file_location(name, file)
        found = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
    return vars(found)


def solution(file):
    names = {"__name__": "solution", "__file__": file}
    sys.setrecursionlimit(50000)
    exec(TAKEN_FOR_GRANTED, names)
    with open(file, "rb") as source:
        exec(compile(source.read(), file, "exec"), names)
    return names


class Target:
    """A function whose calls are made elsewhere, and what became of them."""

    def __init__(self, word, survey):
        self.name, _, shapes = word.partition("=")
        path, _, self.function = self.name.rpartition(":")
        self.file = os.path.realpath(path)
        self.shapes = shapes.split(";") if shapes else []
        self.survey = survey
        self.calls, self.fault, self.two_answers, self.seen = 0, None, False, set()

    def blame(self, why):
        self.fault = self.fault or why

    def ask(self, module_name, args, kwargs, inline):
        """The answer of the other process, as if the function had been called here."""
        try:
            given = plain([list(args), kwargs])
        except NotPlain as kind:
            return self.refuse("is given a {}, which is no plain value".format(kind), inline, args, kwargs)
        question = {"file": self.file, "function": self.function, "module": module_name,
                    "path": sys.path, "given": given}
        with LOCK:
            first = worker().ask(question)
            if KIND == "determinism" or self.survey:
                again = [worker("1").ask(question), worker().ask(question)]
                self.two_answers = self.two_answers or any(other != first for other in again)
        if "refused" in first:
            return self.refuse(first["refused"], inline, args, kwargs)
        self.calls += 1
        if KIND == "determinism" and self.two_answers:
            self.blame("gives two answers to one question")
        if "raised" in first:
            raise self.exception(*first["raised"])
        self.look(shape_of(first["value"]))
        return value_of(first["value"])

    def refuse(self, why, inline, args, kwargs):
        self.blame(why)
        if self.survey and inline is not None:
            return inline(*args, **kwargs)
        raise RuntimeError("{} {}".format(self.name, why))

    def look(self, shape):
        self.seen.add(shape)
        if KIND == "type_strict" and not self.survey and shape not in self.shapes:
            self.blame("returns {}, which is none of {}".format(shape, ", ".join(self.shapes)))

    def exception(self, module_name, name, args):
        kind = vars(sys.modules.get(module_name, types)).get(name)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            self.blame("raises {}.{}, which is not known here".format(module_name, name))
            return RuntimeError("{} raises {}".format(self.name, name))
        error = kind.__new__(kind)
        error.args = tuple(value_of(args))
        return error


def stand_in(target, found, function):
    def isolated(*args, **kwargs):
        return target.ask(found.__name__, args, kwargs, function if target.survey else None)

    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        if hasattr(function, name):
            setattr(isolated, name, getattr(function, name))
    try:
        isolated.__signature__ = inspect.signature(function)
    except (TypeError, ValueError):
        pass
    return isolated


def isolate(found, targets):
    """Puts stand-ins into a module that was just loaded."""
    file = os.path.realpath(getattr(found, "__file__", None) or "")
    for target in targets:
        function = vars(found).get(target.function) if target.file == file else None
        if not callable(function):
            continue
        holders = gc.get_referrers(function)
        own = (vars(found), sys._getframe())
        if any(not any(one is it for it in own) and not isinstance(one, types.FrameType) for one in holders):
            target.blame("is held by something else than its module, so it may be called past this")
        del holders
        setattr(found, target.function, stand_in(target, found, function))


def hook(targets):
    load = importlib.machinery.SourceFileLoader.exec_module

    def exec_module(self, found):
        load(self, found)
        isolate(found, targets)

    importlib.machinery.SourceFileLoader.exec_module = exec_module


def command(words):
    """Runs a script or a module as the interpreter itself would; its exit status."""
    try:
        if words[0] == "-m":
            sys.argv = words[1:]
            sys.path[0] = HERE
            runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = words
            sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if end.code is None or type(end.code) is int:
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def cases(file, targets):
    """Asks the one target for the answers of a file of cases."""
    with open(file, encoding="utf-8") as source:
        listed = json.load(source)["cases"]
    for number, case in enumerate(listed, 1):
        if case["testtype"] != "functional":
            continue
        given = [json.loads(line) for line in case["input"].split("\n") if line.strip()]
        try:
            found = targets[0].ask(None, given, {}, None)
        except Exception as error:
            print("case {}: {!r}".format(number, error), file=sys.stderr)
            return 1
        if not same(found, json.loads(case["output"])):
            print("case {}: found {:.200}".format(number, repr(found)), file=sys.stderr)
            return 1
    return 0


def same(one, other):
    """Equal as JSON has it, with true and false apart from numbers."""
    if isinstance(one, (list, tuple)) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def main(words):
    survey = words[0] == SURVEY
    if survey:
        del words[0]
    mark = next(at for at, word in enumerate(words) if word in ("--", "--cases"))
    targets = [Target(word, survey) for word in words[:mark]]
    if words[mark] == "--":
        hook(targets)
        status = command(words[mark + 1:])
    else:
        status = cases(words[mark + 1], targets)
    for one in list(WORKERS.values()):
        one.end()
    for target in targets:
        if target.calls == 0:
            target.blame("was never called")
        if target.fault and not survey:
            print("{}: {} {}".format(KIND, target.name, target.fault), file=sys.stderr)
            status = status or 1
    sys.stdout.flush()
    if survey:
        found = {target.name: {"fault": target.fault, "two_answers": target.two_answers,
                               "shapes": sorted(target.seen)} for target in targets}
        print("\n" + json.dumps({"status": status, "targets": found}), flush=True)
    return status


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        sys.path[0] = HERE
        serve(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1:]))
