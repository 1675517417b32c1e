"""Digest of what this interpreter may import from outside the tree.

Arguments: the base of the user's packages or an empty word, then further directories to read. Prints
one JSON object: {"sha256": ...} or {"unknown": why}. The program of the interpreter is read, and each
directory of its search path but the standard library, which goes by the interpreter's version.
Runs on Python 3.6 and newer, isolated (-I).
"""
import hashlib
import json
import os
import sys
import sysconfig


def file_digest(path):
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            found.update(piece)
    return found.hexdigest()


def fail(error):
    raise error


def entries(root):
    """Every file below a directory, as [path below it, digest]; compiled files follow from others."""
    seen = set()
    for folder, folders, names in os.walk(root, onerror=fail, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders[:] = []
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            if name.startswith("__editable__") or name.endswith(".egg-link"):
                raise ValueError("`%s` is of an editable install" % path)
            if os.path.isfile(path):
                yield [os.path.relpath(path, root), file_digest(path)]


def standard_library():
    names = ("stdlib", "platstdlib")
    folders = {os.path.realpath(sysconfig.get_path(name)) for name in names}
    return folders | {os.path.join(folder, "lib-dynload") for folder in folders}


def digest(user_base, more):
    roots = [path for path in sys.path if path and os.path.exists(path)]
    if user_base:
        scheme = "posix_user"
        places = {"userbase": user_base}
        for name in ("purelib", "platlib"):
            roots.append(sysconfig.get_path(name, scheme, places))
    standard = standard_library()
    roots = [path for path in roots if os.path.realpath(path) not in standard] + more
    found = [[sys.version, file_digest(os.path.realpath(sys.executable))]]
    for root in sorted(set(roots)):
        if os.path.isfile(root):
            found.append([root, file_digest(root)])
        elif os.path.isdir(root):
            found.append([root, list(entries(root))])
    text = json.dumps(found, sort_keys=True).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()


try:
    answer = {"sha256": digest(sys.argv[1], sys.argv[2:])}
except (OSError, ValueError) as error:
    answer = {"unknown": str(error)}
json.dump(answer, sys.stdout)
