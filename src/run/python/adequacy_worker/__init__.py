"""A process of a test runner that did once what is the same for every mutant, and forks a child for each.

`plugin` is what pytest loads; unittest, which loads no plugin, is entered by `start/sitecustomize.py` and
`unittest_gate`, asked by `unittest_probe` and served by `unittest_loop`. `swap` compares the code of two
sources and puts one in the other's place, `census` knows what code is alive and what of it ran, `hazards`
what a fork would break, `tiers` what a worker does before it serves, `serve` speaks with the engine and
watches over the children, `course` where a process is among the tests, `traces` hides us. Python 3.8 or newer, the standard library alone.
"""
