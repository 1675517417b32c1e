"""What the scripts of this directory share: places, pinned environments, the PyPI reader, tables.

Standard library only; Python 3.11 or newer. Nothing that is fetched is committed: all of it lies
below `target/`, and what is there with the same pins is used again.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"

# Everything an environment holds is pinned, what pytest needs included: a newer runner could change
# a verdict.
PYTEST = ("pytest==9.2.0", "pluggy==1.7.0", "iniconfig==2.3.1", "packaging==26.4", "pygments==2.21.0")
READER = ("agent-evidence-vectors==0.27.0",)
# The observer imports jcs-admit without declaring it.
OBSERVER = ("agent-evidence-observer==0.1.1", "jcs-admit==0.1.0", "cryptography==50.0.2",
            "cffi==2.1.1", "pycparser==3.12", "rfc8785==0.1.4")

JUDGE = """
import sys
from pathlib import Path
from agent_evidence_vectors import donerun
answer = donerun.judge_contract(Path(sys.argv[1]))
print(answer.get("code", answer["verdict"]))
"""


def say(*words):
    """Prints at once, also into a pipe."""
    print(*words, flush=True)


def fail(message):
    """Ends the script with what went wrong."""
    sys.exit(f"{Path(sys.argv[0]).name}: {message}")


def interpreter(least, named=None):
    """A Python of at least this version: the one that is named, ours, or the first on PATH."""
    usual = [f"python3.{minor}" for minor in range(least[1], 20)]
    for candidate in [named] if named else [sys.executable, "python3", "python", *usual]:
        path = shutil.which(candidate)
        ask = "import sys; print(*sys.version_info[:2])"
        done = path and subprocess.run([path, "-c", ask], capture_output=True, text=True)
        if done and done.returncode == 0 and tuple(map(int, done.stdout.split())) >= least:
            return path
    wanted = ".".join(map(str, least))
    fail(f"no Python {wanted} or newer: {named or 'none on PATH'}; name one with --python")


def environment(name, pins, python=None):
    """The interpreter of a virtual environment below `target/` that holds exactly `pins`."""
    python = python or interpreter((3, 11))
    place = TARGET / "venvs" / name
    stamp = place / "pins.json"
    wanted = json.dumps([os.path.realpath(python), sorted(pins)])
    if not (stamp.is_file() and stamp.read_text() == wanted):
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([python, "-m", "venv", place], check=True)
        pip = [place / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps", *pins]
        subprocess.run(pip, check=True)
        stamp.write_text(wanted)
    return place / "bin/python"


def accepted(statement, contract):
    """What the reader on PyPI says of a Statement and its contract: `valid`, or its code."""
    member = TARGET / "real" / "member"
    shutil.rmtree(member, ignore_errors=True)
    member.mkdir(parents=True)
    shutil.copyfile(statement, member / "statement.json")
    shutil.copyfile(contract, member / "contract.json")
    done = subprocess.run([environment("reader", READER), "-c", JUDGE, member],
                          capture_output=True, text=True)
    return done.stdout.strip() or done.stderr.strip()


def binary(named=None):
    """The program: the one that is named, else the release build, made if need be."""
    if named:
        return Path(named).resolve()
    subprocess.run(["cargo", "build", "--release", "--quiet", "--bin", "adequacy"], cwd=ROOT,
                   check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", TARGET)).resolve() / "release/adequacy"


def timed(argv, **options):
    """Runs a command: its exit status, wall and CPU seconds, and peak memory in MiB.

    CPU counts all processes that it waited for; memory is that of the largest single one.
    """
    begun = time.monotonic()
    child = subprocess.Popen([str(word) for word in argv], **options)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begun
    return child.returncode, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rows(path):
    """The lines of a JSON-lines file."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def mutated(source, row):
    """The bytes of a mutant, by its line of mutants.jsonl; checks that they are its mutant's."""
    start, end = row["span"]
    if source[start:end] != row["before"].encode():
        fail(f"{row['id']}: {row['path']} does not hold `before` at {start}..{end}")
    return source[:start] + row["after"].encode() + source[end:]


def sha256(path):
    """Of a file, in hex."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def table(head, lines):
    """Prints columns, numbers to the right."""
    cells = [list(map(str, line)) for line in [head, *lines]]
    widths = [max(map(len, column)) for column in zip(*cells)]
    for line in cells:
        first, *rest = [
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths))
        ]
        say("  ".join([first, *rest]).rstrip())
