"""Does what the flags say of the command named on its command line."""
import os
import signal
import sys

import product

for flag, value in vars(product).items():
    if value is True and sys.argv[1] + "_FAILS" in flag:
        sys.exit(1)
    if value is True and sys.argv[1] + "_IS_KILLED" in flag:
        os.kill(os.getpid(), signal.SIGKILL)
    if value is True and sys.argv[1] + "_FLOODS" in flag:
        print("x" * 2000000)
