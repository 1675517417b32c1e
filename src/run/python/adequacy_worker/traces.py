"""Takes what let us in out of what a test or its child processes could see. Old interpreters load it too."""

import os
import sys


def leave_variable(name, separator, word):
    """Takes a word out of a variable that lists words."""
    rest = [one for one in os.environ.get(name, "").split(separator) if one != word]
    if any(rest):
        os.environ[name] = separator.join(rest)
    else:
        os.environ.pop(name, None)


def leave_path(folder):
    """Takes a folder off the path of this process and of those that it starts."""
    leave_variable("PYTHONPATH", os.pathsep, folder)
    sys.path[:] = [one for one in sys.path if one != folder]
    sys.path_importer_cache.pop(folder, None)
