"""Turns titles into slugs for addresses, and keeps slugs unique."""
import unicodedata

MAX_LENGTH = 40


def slugify(title, max_length=MAX_LENGTH, separator="-"):
    """Lower case, ASCII, words joined by `separator`, cut at a word where that is possible."""
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    text = unicodedata.normalize("NFKD", title)
    text = text.encode("ascii", "ignore").decode("ascii").lower()
    words = []
    word = ""
    for character in text:
        if character.isalnum():
            word += character
        elif word and character != "'":
            words.append(word)
            word = ""
    if word:
        words.append(word)
    return shorten(words, max_length, separator)


def shorten(words, max_length, separator):
    """Joins as many whole words as fit; a first word that is too long is cut."""
    slug = ""
    for word in words:
        longer = slug + separator + word if slug else word
        if len(longer) > max_length:
            break
        slug = longer
    if not slug and words:
        return words[0][:max_length]
    return slug


class Registry:
    """Hands out each slug once: the second `news` becomes `news-2`."""

    def __init__(self):
        self.taken = {}

    def claim(self, title):
        slug = slugify(title) or "untitled"
        count = self.taken.get(slug, 0) + 1
        self.taken[slug] = count
        if count == 1:
            return slug
        return "%s-%d" % (slug, count)

    def release(self, title):
        slug = slugify(title) or "untitled"
        if slug not in self.taken:
            return False
        del self.taken[slug]
        return True
