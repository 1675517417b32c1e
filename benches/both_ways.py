"""One tree measured twice, with whatever executors the program has and on the exact path alone.

What must be the same is the verdict and the reason of every mutant; which executor gave it is kept beside.
"""

import json
import shutil
import subprocess
import tempfile
from collections import Counter

from tools import fail, rows, say, timed

WAYS = {"faster": [], "exact": ["--exact"]}


class Way:
    """A finished run: its decided mutants by id, what each replaces, its run.json, and what it took."""

    def __init__(self, out, cost):
        # A mutant that was decided again has a later line.
        self.decided = {line["id"]: line for line in rows(out / "outcomes.jsonl")[1:]}
        self.mutants = {row["id"]: row for row in rows(out / "mutants.jsonl")}
        self.run = json.loads((out / "run.json").read_text())
        self.wall, self.cpu = cost

    @property
    def executors(self):
        """How the verdicts were come to, as run.json tells it."""
        return self.run["executors"]

    def tiers(self):
        """How many verdicts each executor gave, in words."""
        return ", ".join(f"{count} {tier}" for tier, count in self.executors["verdicts"].items())

    def verdict(self, key):
        """What is compared of a mutant: its outcome and, of a kill, the reason."""
        line = self.decided[key]
        return line["outcome"], line.get("reason")

    def runs_cost(self, only=None):
        """Wall and CPU seconds of the mutants' own runs, those that were handed down among them; of all
        mutants, or of some by id."""
        runs = [run for key in (self.decided if only is None else only) for run in self.decided[key]["runs"]]
        runs += [one for run in runs for one in run.get("declined", ())]
        return [sum(run[unit] for run in runs) for unit in ("wall_s", "cpu_s")]


def measured(program, tree, out, *words):
    """Measures a tree; `words` are further ones for `measure`, the command's after `--`."""
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryFile("w+") as errors:
        argv = [program, "measure", tree, "-o", out, "-q", *words]
        status, wall, cpu, _ = timed(argv, stdout=subprocess.DEVNULL, stderr=errors)
        errors.seek(0)
        if status != 0:
            fail(f"{' '.join(map(str, argv))}\nended with exit {status}:\n{errors.read()}")
    return Way(out, (wall, cpu))


def both(program, tree, out, *words):
    """The tree by every executor, then exactly."""
    return [measured(program, tree, out / way, *more, *words) for way, more in WAYS.items()]


def differences(ours, exact):
    """A line for each mutant whose verdict or reason is not that of the exact path."""
    if ours.decided.keys() != exact.decided.keys():
        fail("the two runs decided other mutants")
    return [
        f"{key} {row['path']}:{row['line']} {row['operator']} {row['before']!r} -> {row['after']!r}: "
        f"{ours.verdict(key)} by {ours.decided[key]['executor']}, {exact.verdict(key)} exactly"
        for key, row in ours.mutants.items()
        if key in ours.decided and ours.verdict(key) != exact.verdict(key)
    ]


def caught(ours):
    """What the run's own spot check found to differ, in lines: it makes such verdicts again, so that
    they are right in the end, but an executor that is caught has a fault."""
    check = ours.executors["spot_check"]
    return [f"caught by the spot check: {one}" for one in (check or {}).get("differences", ())]


def killed(way):
    """How many mutants were killed, by reason."""
    reasons = (way.decided[key].get("reason") for key in way.decided)
    return Counter(reason for reason in reasons if reason)


def tell(name, ours, found):
    """Prints what a comparison came to."""
    for line in found:
        say(f"{name}: {line}")
    say(f"{name}: {len(ours.decided)} mutants, {len(found)} differences; {ours.tiers()}")
