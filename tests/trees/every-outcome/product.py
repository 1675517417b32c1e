"""Each mutant sets one flag, and each flag makes the command end in one way."""
ACCEPTED = False
FAILS = False
FAILS_AS_A_SHELL_SAYS_NOT_FOUND = False
FAILS_AS_A_SHELL_SAYS_KILLED = False
GIVES_126_ONCE = False
GIVES_124_THEN_FAILS = False
HANGS = False
HANGS_ONCE = False
HANGS_THEN_FAILS = False
ABORTS_AFTER_SAYING_OK = False
CRASHES_ONCE = False
IS_KILLED = False
FLOODS = False
EXITS_WHILE_A_CHILD_HOLDS_THE_OUTPUT = False
