"""Names for the web."""


def slug(title):
    """The title in lower case, words joined by dashes."""
    return "-".join(title.lower().split())


def unused(value):
    return value + 1
