import price

assert price.total([1, 2]) == 3
assert price.total([5, 5], 2) == 8
