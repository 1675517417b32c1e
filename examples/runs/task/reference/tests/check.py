"""Runs solution.py of the current directory on the cases of a JSON file; exit 1 if an answer is wrong.

    python3 check.py CASES.json

Written by `adequacy import lcb`; needs the standard library alone. A program is started once a case. A
function is called in one other process, which is told the arguments and never the answers, so that no
value it returns and no way it ends can pass for a right answer.
"""

import decimal
import json
import os
import subprocess
import sys
import tempfile

SOLUTION = "solution.py"

# What the authors of such solutions take for granted, put before a solution that is called.
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


def main(path):
    with open(path, encoding="utf-8") as file:
        task = json.load(file)
    calls = [case for case in task["cases"] if case["testtype"] == "functional"]
    answers = iter(called(task["entry"], [arguments(case) for case in calls]) if calls else [])
    for number, case in enumerate(task["cases"], 1):
        if case["testtype"] == "functional":
            answer = next(answers, None)
            fault = "no answer" if answer is None else unequal(answer[0], json.loads(case["output"]))
        else:
            fault = run(case["input"], case["output"])
        if fault:
            sys.exit("case {} of {}: {}".format(number, len(task["cases"]), fault))
    print("{} cases passed".format(len(task["cases"])))


def arguments(case):
    return [json.loads(line) for line in case["input"].split("\n") if line.strip()]


def unequal(found, expected):
    return None if same(found, expected) else "found {:.200}, expected {:.200}".format(repr(found), repr(expected))


def same(one, other):
    """Equal, with true and false apart from numbers."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def run(text, expected):
    """Why the program does not answer `text` with `expected`, or None."""
    done = subprocess.run([sys.executable, SOLUTION], input=text.encode(), stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return "the program ended with {}".format(done.returncode)
    found, wanted = lines(done.stdout.decode(errors="replace")), lines(expected)
    if len(found) == len(wanted) and all(map(same_line, found, wanted)):
        return None
    return "found {:.200}, expected {:.200}".format(repr(found), repr(wanted))


def lines(text):
    return [line.strip() for line in text.strip().split("\n")]


def same_line(one, other):
    """Equal, or equal number by number."""
    if one == other:
        return True
    try:
        numbers = [[decimal.Decimal(word) for word in line.split()] for line in (one, other)]
    except decimal.InvalidOperation:
        return False
    return numbers[0] == numbers[1]


def called(entry, cases):
    """For each case a list that holds the answer; fewer where the process ended before."""
    source, sink = os.pipe()
    words = [sys.executable, os.path.abspath(__file__), "--call", entry, str(sink)]
    with tempfile.TemporaryFile() as file:
        file.write(json.dumps(cases).encode())
        file.seek(0)
        with subprocess.Popen(words, stdin=file, pass_fds=[sink]), os.fdopen(source, encoding="utf-8") as answers:
            os.close(sink)
            return [json.loads(line) for line in answers if line.endswith("\n")]


def call(entry, sink):
    """The other process: calls the function on every case and writes what it returns."""
    cases = json.loads(sys.stdin.buffer.read())
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.setrecursionlimit(50000)
    with os.fdopen(sink, "w", encoding="utf-8") as answers, open(SOLUTION, "rb") as file:
        names = {"__name__": "solution", "__file__": SOLUTION}
        exec(TAKEN_FOR_GRANTED, names)
        exec(compile(file.read(), SOLUTION, "exec"), names)
        for case in cases:
            function = getattr(names["Solution"](), entry) if "Solution" in names else names[entry]
            answers.write(json.dumps([plain(function(*case))]) + "\n")


def plain(value):
    """The value as JSON has it; anything else, also a subclass that may equal everything, is refused."""
    if type(value) in (list, tuple):
        return [plain(item) for item in value]
    if type(value) is dict:
        return {key: plain(item) for key, item in value.items() if type(key) is str or refuse(key)}
    return value if value is None or type(value) in (bool, int, float, str) else refuse(value)


def refuse(value):
    raise TypeError("the solution returned a {}".format(type(value).__name__))


if __name__ == "__main__":
    if sys.argv[1] == "--call":
        call(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1])
