"""A test leaves a file in the tree, which must be gone before the next mutant."""


def save(path):
    path.write_text(str(27))
