"""Names for the web."""

import re

WORD = re.compile(r"[a-z0-9]+")


def slug(title, longest=40):
    """The title in lower case, words joined by dashes, at most so many characters."""
    words = WORD.findall(title.lower())
    while words and len("-".join(words)) > longest:
        words.pop()
    return "-".join(words)


def initials(title):
    """The first letters of the words."""
    return "".join(word[0] for word in WORD.findall(title.lower()))


def unused(value):
    return value + 1
