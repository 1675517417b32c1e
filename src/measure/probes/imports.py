"""Loads modules, each in a process of its own, and fails if loading does anything besides.

    python3 @FILE@ MODULE.py...

Written by `adequacy probes`; needs the standard library alone. Paths are those of files of the current
directory. Loading may not print, end the process, write below the current directory, HOME or TMPDIR, or
change the process: its directory, environment, search path, words, signals, threads, built-in names, standard
streams, hooks, limit of recursion, file mode mask, locale or the state of `random`. Exit 1 if it does.
"""

import builtins
import importlib
import json
import locale
import os
import random
import signal
import subprocess
import sys
import threading

sys.dont_write_bytecode = True


def files():
    """What the places hold that a program may write to."""
    found = {}
    for root in sorted({os.getcwd(), os.environ.get("HOME", "."), os.environ.get("TMPDIR", ".")}):
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                path = os.path.join(folder, name)
                try:
                    seen = os.lstat(path)
                except OSError:
                    continue
                found[path] = [seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ino]
    return found


def state():
    """The process, part by part."""
    mask = os.umask(0o77)
    os.umask(mask)
    handlers = {}
    for number in signal.valid_signals():
        handlers[int(number)] = signal.getsignal(number)
    return {
        "the current directory": os.getcwd(),
        "the environment": dict(os.environ),
        "sys.path": list(sys.path),
        "sys.argv": list(sys.argv),
        "sys.meta_path": [id(finder) for finder in sys.meta_path],
        "a signal handler": handlers,
        "threads": threading.active_count(),
        "built-in names": {name: id(value) for name, value in vars(builtins).items() if name != "_"},
        "a standard stream": [id(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "a hook": [id(hook) for hook in (sys.excepthook, sys.displayhook, sys.gettrace(), sys.getprofile())],
        "the limit of recursion": sys.getrecursionlimit(),
        "the file mode mask": mask,
        "the locale": locale.setlocale(locale.LC_ALL),
        "the state of random": random.getstate(),
    }


def name_of(path):
    """The directory that has to be on the search path, and the dotted name of the module below it."""
    folder, file = os.path.split(os.path.abspath(path))
    names = [] if file == "__init__.py" else [os.path.splitext(file)[0]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        names.insert(0, name)
    return folder, ".".join(names)


def load(path, sink):
    """The other process: what loading changes, as a list of words."""
    folder, name = name_of(path)
    sys.path.insert(0, folder)
    sys.argv = [sys.argv[0]]
    before = state()
    importlib.import_module(name)
    after = state()
    with os.fdopen(sink, "w") as words:
        json.dump(["changes " + part for part in before if before[part] != after[part]], words)


def faults(path):
    source, sink = os.pipe()
    before = files()
    words = [sys.executable, os.path.abspath(__file__), "--load", path, str(sink)]
    done = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, pass_fds=[sink])
    os.close(sink)
    printed = done.communicate()[0]
    with os.fdopen(source) as answer:
        text = answer.read()
    found = json.loads(text) if text else ["ends or breaks before it is loaded"]
    if text and done.returncode != 0:
        found.append("makes the process end with {}".format(done.returncode))
    if printed:
        found.append("prints {!r:.200}".format(printed.decode(errors="replace")))
    after = files()
    changed = [file for file in sorted(set(before) | set(after)) if before.get(file) != after.get(file)]
    return found + ["writes {}".format(os.path.relpath(file)) for file in changed]


def main(paths):
    status = 0
    for path in paths:
        for fault in faults(path):
            print("{}: loading it {}".format(path, fault), file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    if sys.argv[1] == "--load":
        load(sys.argv[2], int(sys.argv[3]))
    else:
        sys.exit(main(sys.argv[1:]))
