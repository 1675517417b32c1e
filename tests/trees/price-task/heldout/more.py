import price

assert price.total([], 0) == 0
assert price.total([7], 4) == 3
