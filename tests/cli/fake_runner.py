#!/usr/bin/env python3
"""Stands in for the runners that it is named after: node, go, and cargo with nextest. Runs calc.py; tells
a machine what it ran where the runner would, in its form, and says something else to people."""

import json
import os
import shlex
import sys

sys.path.insert(0, os.getcwd())
name = os.path.basename(sys.argv[0])
if name == "cargo" and ("nextest" not in sys.argv or "--no-run" in sys.argv):
    sys.exit(0)

import calc  # noqa: E402

ends = {"one": "ok", "two": "ok" if calc.add(2, 3) == 5 else "failed", "three": "ignored"}
wanted = {
    "node": lambda: "--test-reporter=junit" in shlex.split(os.environ.get("NODE_OPTIONS", "")),
    "go": lambda: "-json" in os.environ.get("GOFLAGS", "").split(),
    "cargo": lambda: os.environ.get("NEXTEST_MESSAGE_FORMAT") == "libtest-json"
    and os.environ.get("NEXTEST_EXPERIMENTAL_LIBTEST_JSON") == "1",
}[name]()
if not wanted:
    print("99 tests, 99 passed")
elif name == "node":
    words = dict(word.lstrip("-").split("=", 1) for word in shlex.split(os.environ["NODE_OPTIONS"]))
    inside = {"ok": "", "failed": "<failure/>", "ignored": "<skipped/>"}
    cases = "".join(f'<testcase name="{test}">{inside[end]}</testcase>' for test, end in ends.items())
    with open(words["test-reporter-destination"], "w") as report:
        report.write(f"<testsuites>{cases}</testsuites>")
elif name == "go":
    for test, end in ends.items():
        action = {"ok": "pass", "failed": "fail", "ignored": "skip"}[end]
        print(json.dumps({"Action": action, "Package": "calc", "Test": test}))
else:
    for test, end in ends.items():
        print(json.dumps({"type": "test", "event": end, "name": test}))
sys.exit(int("failed" in ends.values()))
