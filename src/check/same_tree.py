"""Says whether two sources have one syntax tree, positions aside. What does not parse has none."""

import ast
import sys

trees = []
for path in sys.argv[1:3]:
    with open(path, "rb") as file:
        try:
            trees.append(ast.dump(ast.parse(file.read())))
        except (SyntaxError, ValueError):
            trees.append(None)
print("same" if trees[0] is not None and trees[0] == trees[1] else "differs")
