import sys

sys.path.insert(0, ".")
import slugs

assert slugs.slug("") == ""
assert slugs.slug("a" * 50) == ""
assert slugs.initials("x yy zzz") == "xyz"
