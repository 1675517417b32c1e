"""A pytest process that did once what is the same for every mutant, and forks a child for each.

`plugin` is what pytest loads. `swap` compares the code of two sources and puts one in the other's place,
`census` knows what code is alive and what of it ran, `hazards` what a fork would break, `serve` speaks
with the engine and watches over the children. Python 3.8 or newer, the standard library alone.
"""
