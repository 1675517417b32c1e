"""Ends as the one flag that is set says. STATE is a directory outside the workspace."""
import os
import signal
import subprocess
import sys
import time

import product


def again(flag):
    """Whether this flag was met before."""
    path = os.path.join(os.environ["STATE"], flag)
    met = os.path.exists(path)
    open(path, "w").close()
    return met


for flag in [name for name, value in vars(product).items() if value is True]:
    if flag == "FAILS":
        sys.exit(1)
    if flag == "FAILS_AS_A_SHELL_SAYS_NOT_FOUND":
        sys.exit(127)
    if flag == "FAILS_AS_A_SHELL_SAYS_KILLED":
        sys.exit(137)
    if flag == "GIVES_126_ONCE" and not again(flag):
        sys.exit(126)
    if flag == "GIVES_124_THEN_FAILS":
        sys.exit(1 if again(flag) else 124)
    if flag == "HANGS" or flag == "HANGS_ONCE" and not again(flag):
        time.sleep(600)
    if flag == "HANGS_THEN_FAILS":
        if again(flag):
            sys.exit(1)
        time.sleep(600)
    if flag == "ABORTS_AFTER_SAYING_OK":
        print("OK", flush=True)
        os.abort()
    if flag == "CRASHES_ONCE" and not again(flag):
        os.kill(os.getpid(), signal.SIGSEGV)
    if flag == "IS_KILLED":
        os.kill(os.getpid(), signal.SIGKILL)
    if flag == "FLOODS":
        print("x" * 2000000)
    if flag == "EXITS_WHILE_A_CHILD_HOLDS_THE_OUTPUT":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
