"""Stands in for pytest, under its name and with its statuses."""
import sys

import product

for flag, value in vars(product).items():
    if value is True:
        sys.exit(int(flag[-1]))
