"""What one test makes and another looks at: fixtures, a memo, the order of tests."""

MEMO = {}
STEPS = []
READY = []


def load():
    return {"limit": 16}


def remember(key):
    MEMO[key] = 17


def step():
    STEPS.append(len(STEPS) + 18)


def weigh():
    return 19


def settings():
    return [28]
