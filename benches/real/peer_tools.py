"""How each peer is run on a project, and how what it says is read: nothing of theirs is kept here.

A peer's mutant becomes the text of a source file, so that its verdict can be checked by the plain command.
"""

import ast
import json
import os
import subprocess
from copy import copy
from functools import lru_cache
from pathlib import Path

from projects import project
from tools import fail, rows

KILLED, ACCEPTED, UNCOVERED, OTHER = "killed", "survived", "not covered", "other"


class Mutant:
    """What a tool says of one mutant: its own name for it, the file, a verdict, and the file's mutated text,
    None where it cannot be made again."""

    def __init__(self, name, path, verdict, text):
        self.name, self.path, self.verdict, self.text = name, path, verdict, text

    def tree(self):
        """The mutated syntax tree, by which mutants of several tools are found to be the same."""
        try:
            return self.path, ast.dump(ast.parse(self.text))
        except (SyntaxError, TypeError, ValueError):
            return None


def spliced(source, node, text):
    """A source with the text of a node replaced. Further lines get the node's indentation, a docstring's too."""
    lines = source.splitlines(keepends=True)

    def at(line, column):
        return len("".join(lines[: line - 1])) + len(lines[line - 1].encode()[:column].decode())

    start, end = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
    return source[:start] + text.replace("\n", "\n" + " " * node.col_offset) + source[end:]


class Moonbuggy:
    name = "moonbuggy"

    def argv(self, place, known, jobs):
        words = [f"--pytest-arg={word}" for word in known["arguments"]]
        return [place / "moonbuggy", "--project", ".", "--include", known["mutate"], "--jobs", jobs,
                "--no-cache", "--quiet", *words]

    def mutants(self, tree, _):
        verdicts = {"KILLED": KILLED, "KILLED_BY_ERROR": KILLED, "SURVIVED": ACCEPTED,
                    "NO_COVERAGE": UNCOVERED}
        for row in rows(tree / ".moonbuggy/results.jsonl"):
            source = (tree / row["file"]).read_text()
            yield Mutant(row["id"], row["file"], verdicts.get(row["status"], OTHER),
                         self.text(source, row))

    @staticmethod
    def text(source, row):
        """It tells the line of a mutant, without its indentation, before and after."""
        lines = source.splitlines(keepends=True)
        line = lines[row["line"] - 1]
        if line.strip() != row["original"]:
            return None
        lines[row["line"] - 1] = line.replace(row["original"], row["mutated"])
        return "".join(lines)


class Irradiate:
    name = "irradiate"
    report = "irradiate.json"

    def argv(self, place, known, jobs):
        words = [f"--pytest-args={word}" for word in known["arguments"]]
        return [place / "irradiate", "run", known["mutate"], "--tests-dir", known["tests"], "--workers", jobs,
                "--python", place / "python", "--no-cache", "--report", "json", "--output", self.report, *words]

    def mutants(self, tree, _):
        verdicts = {"Killed": KILLED, "Survived": ACCEPTED, "NoCoverage": UNCOVERED}
        files = json.loads((tree / self.report).read_text())["files"]
        for path, found in files.items():
            # It leaves out a folder `src`.
            path = path if (tree / path).is_file() else f"src/{path}"
            source = (tree / path).read_text()
            for one in found["mutants"]:
                yield Mutant(one["id"], path, verdicts.get(one["status"], OTHER), self.text(source, one))

    @staticmethod
    def text(source, one):
        """Lines and columns count from 1, columns in characters."""
        lines = source.splitlines(keepends=True)

        def at(place):
            return len("".join(lines[: place["line"] - 1])) + place["column"] - 1

        start, end = at(one["location"]["start"]), at(one["location"]["end"])
        # "replaced `a` with `b`": only where `a` stands there is the place the mutant's.
        said = one["description"].removeprefix("replaced `").split("` with `")[0]
        return source[:start] + one["replacement"] + source[end:] if source[start:end] == said else None


class Mutmut:
    name = "mutmut"

    def argv(self, place, known, jobs):
        # It has no flags for these.
        lines = ["", "[mutmut]", f"source_paths={known['package']}", f"only_mutate={known['mutate']}",
                 f"pytest_add_cli_args_test_selection={known['tests']}", ""]
        return ["sh", "-c", 'printf %s "$2" >> setup.cfg && exec "$1"/mutmut run --max-children "$3"', "sh",
                place, "\n".join(lines), jobs]

    def mutants(self, tree, place):
        verdicts = {"killed": KILLED, "survived": ACCEPTED, "no tests": UNCOVERED}
        said = subprocess.run([place / "mutmut", "results", "--all", "true"], cwd=tree, check=True,
                              capture_output=True, text=True, env=with_path(place)).stdout
        for line in said.splitlines():
            name, _, verdict = line.strip().partition(": ")
            module, _, function = name.rpartition(".")
            path, text = self.text(tree, module, function)
            yield Mutant(name, path, verdicts.get(verdict, OTHER), text)

    @staticmethod
    def text(tree, module, name):
        """It keeps each mutant as a function beside the others, `x_f__mutmut_3` or `xǁCǁf__mutmut_3`."""
        stem = module.replace(".", "/")
        paths = [f"{root}{stem}{end}" for root in ("", "src/") for end in (".py", "/__init__.py")]
        path = next((path for path in paths if (tree / "mutants" / path).is_file()), None)
        if path is None:
            return module, None
        mine, _, _ = name.rpartition("__mutmut_")
        owner, function = mine[2:].split("ǁ") if mine.startswith("xǁ") else (None, mine[2:])
        _, made = defined(tree / "mutants" / path)
        source, places = defined(tree / path)
        found, place = made.get((owner, name), []), places.get((owner, function), [])
        if len(found) != 1 or len(place) != 1:
            return path, None
        mutant = copy(found[0])
        mutant.name, mutant.decorator_list = function, []
        return path, spliced(source, place[0], ast.unparse(mutant))


@lru_cache(maxsize=None)
def defined(file):
    """The text of a source, and its functions by class, if any, and name."""
    text, found = file.read_text(), {}
    module = ast.parse(text)
    classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
    for owner, inside in [(None, module), *((each.name, each) for each in classes)]:
        for node in inside.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault((owner, node.name), []).append(node)
    return text, found


class Ours:
    name = "adequacy"

    def __init__(self, program, command, limit):
        self.program, self.command, self.limit = program, command, limit

    def argv(self, _, known, jobs):
        limit = ["--limit", self.limit] if self.limit else []
        return [self.program, "measure", ".", "--include", known["mutate"], "-q", "-j", jobs, *limit,
                "--", *self.command]

    def mutants(self, tree, _):
        out = tree / "adequacy.out"
        decided = {line["id"]: line for line in rows(out / "outcomes.jsonl")[1:]}
        for row in rows(out / "mutants.jsonl"):
            if row["id"] in decided:
                source = (tree / row["path"]).read_bytes()
                start, end = row["span"]
                text = (source[:start] + row["after"].encode() + source[end:]).decode()
                outcome = decided[row["id"]]["outcome"]
                yield Mutant(row["id"], row["path"], outcome if outcome in (KILLED, ACCEPTED) else OTHER, text)


PEERS = {peer.name: peer for peer in (Moonbuggy(), Irradiate(), Mutmut())}

# The file of a project that the tools mutate, the folder of its package, and its tests.
COMPARED = {
    "inflection": ("inflection/__init__.py", "inflection", "test_inflection.py"),
    "itsdangerous": ("src/itsdangerous/signer.py", "src", "tests"),
    "boltons": ("boltons/mathutils.py", "boltons", "tests"),
}

# Peers that no table of this script has a row for, and why.
LEFT_OUT = {
    "agent-evidence-observer": "benches/against-loop compares with it, on the same mutants",
    "cosmic-ray": "runs one mutant at a time, each as a cold command",
    "fermut": "each mutant is a cold command for the tests that cover it; no reader of its results yet",
    "fest-mutate": "killed nothing with its plugin, and did not end with its subprocesses, when tried",
    "pytest-gremlins": "each mutant is a cold command for the tests that cover it; no reader of its results yet",
}


def with_path(place):
    """The environment of a tool: its own interpreter first on PATH."""
    path = f"{place}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "VIRTUAL_ENV": str(Path(place).parent), "PYTHONHASHSEED": "0"}


def known(name):
    """What of a project the tools are told: the file, its package, its tests, words for pytest."""
    if name not in COMPARED:
        fail(f"no tool was tried on `{name}`; there are {', '.join(COMPARED)}")
    mutate, package, tests = COMPARED[name]
    return {"mutate": mutate, "package": package, "tests": tests, "arguments": project(name)["arguments"]}
