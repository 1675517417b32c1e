"""What runs between the tests: a mutant here fails no test method."""


def put_away():
    if len("four") != 4:
        raise ValueError("a test is not put away")


def close(files):
    if files < 3:
        raise ValueError("a class is not closed")


def clean():
    if len("five5") != 5:
        raise ValueError("a module is not cleaned")
