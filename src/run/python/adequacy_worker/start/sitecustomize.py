"""What an interpreter loads before anything of its program's, where its PYTHONPATH names this folder: the way
in for a runner that loads no plugin. It leaves no trace, lets the package in beside it, and makes place for
the `sitecustomize` that the interpreter would have loaded. Old interpreters load it too.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.dirname(os.path.dirname(HERE))


def enter():
    sys.path.insert(0, PACKAGES)
    from adequacy_worker import traces

    traces.leave_path(PACKAGES)
    traces.leave_path(HERE)
    if sys.version_info < (3, 8):
        return
    sys.path.insert(0, PACKAGES)
    from adequacy_worker import unittest_gate

    try:
        unittest_gate.enter()
    finally:
        traces.leave_path(PACKAGES)


enter()
del sys.modules[__name__]
# Where there is none, the error says so, as it would have without us.
import sitecustomize  # noqa: E402, F401
