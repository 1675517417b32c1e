"""Runs a file of checks; like larger runners it lets a conftest.py of the project have the last word."""

import os
import runpy
import sys

sys.path.insert(0, ".")
status = 0
try:
    runpy.run_path(sys.argv[1])
except Exception as error:
    print(type(error).__name__, error)
    status = 1
if os.path.exists("conftest.py"):
    import conftest

    status = conftest.finish(status)
sys.exit(status)
