"""Knows nothing of equal numbers."""
import calc

assert calc.add(2, 3) == 5
assert calc.bigger(2, 1)
assert not calc.bigger(1, 2)
