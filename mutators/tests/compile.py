"""Compiles every mutant it is told of and prints those the interpreter refuses.

Standard input: a line `file PATH`, then a line `START END HEX` for each mutant of that file.
"""

import sys
import warnings

warnings.simplefilter("ignore")
source = path = None
count = 0
for line in sys.stdin.read().splitlines():
    if line.startswith("file "):
        path = line[5:]
        with open(path, "rb") as handle:
            source = handle.read()
        compile(source, path, "exec", dont_inherit=True)
        continue
    start, end, *text = line.split(" ")
    mutant = source[: int(start)] + bytes.fromhex("".join(text)) + source[int(end) :]
    count += 1
    try:
        compile(mutant, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        print("refused", path, start, end, "".join(text) or "-", error.args[0])
print("compiled", count)
