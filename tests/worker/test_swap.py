"""What may be put in the place of what, and what is refused."""

import gc
import types
import unittest

from adequacy_worker import swap

SOURCE = '''\
LIMIT = 3


def outer(n=1):
    """Says how many."""
    def inner():
        return n + 1
    return inner


class Box:
    size = 4

    def get(self):
        return self.size

    @property
    def twice(self):
        return 2 * self.size


def numbers():
    yield 1


one = lambda: 1; two = lambda: 2
'''


class Loaded:
    """A source as a process has it that has just loaded it."""

    def __init__(self, source):
        self.code = compile(source, "product.py", "exec", dont_inherit=True)
        self.names = {}
        exec(self.code, self.names)
        self.alive = swap.Alive()

    def take(self):
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType and thing.__globals__ is self.names:
                self.alive.functions.setdefault(swap.key_of(thing.__code__), []).append(thing)

    def change(self, source):
        new = compile(source, "product.py", "exec", dont_inherit=True)
        for step in swap.plan(self.code, new, self.alive):
            step()


def loaded():
    it = Loaded(SOURCE)
    it.take()
    return it


class PuttingInPlace(unittest.TestCase):
    def test_a_function_and_what_is_bound_to_it_do_the_new_thing(self):
        it = loaded()
        box = it.names["Box"]()
        get = box.get
        it.change(SOURCE.replace("return self.size", "return self.size + 5"))
        self.assertEqual((box.get(), get(), box.twice), (9, 9, 8))

    def test_a_property_is_reached(self):
        it = loaded()
        it.change(SOURCE.replace("2 *", "3 *"))
        self.assertEqual(it.names["Box"]().twice, 12)

    def test_what_a_function_makes_and_what_it_made_changes(self):
        it = Loaded(SOURCE)
        made = it.names["outer"](1)
        it.take()
        it.alive.executed[swap.key_of(it.names["outer"].__code__)] = None
        it.change(SOURCE.replace("n + 1", "n + 7"))
        self.assertEqual((made(), it.names["outer"](2)()), (8, 9))

    def test_a_source_that_says_the_same_changes_nothing(self):
        it = loaded()
        it.alive.executed = dict.fromkeys(it.alive.functions)
        it.change(SOURCE + "# the end\n")

    def test_lines_that_move_move_in_whatever_lives(self):
        # Without a class, whose body tells its first line from Python 3.13 on.
        source = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
        it = Loaded(source)
        it.take()
        it.alive.executed = {swap.key_of(it.names["two"].__code__): None}
        it.change(source.replace("return 1\n", "pass\n    return 3\n"))
        one, two = it.names["one"], it.names["two"]
        self.assertEqual((one(), two(), two.__code__.co_firstlineno), (3, 2, 6))

    def test_a_function_of_a_function_that_never_ran(self):
        it = loaded()
        it.change(SOURCE.replace("n + 1", "n - 1"))
        self.assertEqual(it.names["outer"](5)(), 4)

    def test_constants_are_told_apart_by_type_and_sign(self):
        for old, new in (("1", "True"), ("1", "1.0"), ("0.0", "-0.0"), ("(1, 2)", "(True, 2)")):
            source = "def it(x):\n    return x in (0, {})\n"
            it = Loaded(source.format(old))
            it.take()
            it.change(source.format(new))
            constants = repr(it.names["it"].__code__.co_consts)
            self.assertIn(new, constants, (old, new))


class Refusing(unittest.TestCase):
    def refuses(self, old, new, why, prepare=lambda it: None):
        it = loaded()
        prepare(it)
        with self.assertRaises(swap.Refused) as refused:
            it.change(SOURCE.replace(old, new))
        self.assertIn(why, str(refused.exception))
        # And nothing was changed.
        self.assertEqual((it.names["outer"]()(), it.names["Box"]().get()), (2, 4))

    def test_what_loading_did(self):
        for old, new, why in (
            ("LIMIT = 3", "LIMIT = 4", "the body of the module"),
            ("size = 4", "size = 5", "the body of `Box`"),
            ("n=1", "n=2", "the body of the module"),
            ("@property", "@staticmethod", "the body of `Box`"),
        ):
            self.refuses(old, new, why)

    def test_what_callers_and_live_functions_rely_on(self):
        for old, new, why in (
            ("def outer(n=1)", "def outer(m=1)", "changed"),
            ("return n + 1", "return 1", "changed"),
            ("yield 1", "return 1", "flags"),
        ):
            self.refuses(old, new, why)

    def test_a_docstring(self):
        self.refuses("Says how many.", "Says nothing.", "docstring")

    def test_two_of_one_name_on_one_line(self):
        self.refuses("lambda: 2", "lambda: 3", "on one line")

    def test_a_function_that_ran(self):
        def ran(it):
            it.alive.executed[swap.key_of(it.names["Box"].get.__code__)] = None

        self.refuses("return self.size", "return 1 + self.size", "ran before the tests", ran)

    def test_code_that_something_else_holds(self):
        def hold(it):
            it.alive.held[swap.key_of(it.names["numbers"].__code__)] = None

        self.refuses("yield 1", "yield 2", "held by something else", hold)

    def test_code_that_is_not_the_sources(self):
        def derive(it):
            get = it.names["Box"].get
            get.__code__ = get.__code__.replace(co_consts=(None, "other"))

        self.refuses("return self.size", "return 1 + self.size", "other code", derive)

    def test_code_under_a_name_that_the_source_does_not_have(self):
        it = loaded()
        copy = it.names["outer"].__code__.replace(co_name="copy")
        it.names["copy"] = types.FunctionType(copy, it.names)
        it.take()
        with self.assertRaisesRegex(swap.Refused, "`copy` is code that its source does not have"):
            it.change(SOURCE.replace("n + 1", "n - 1"))

    def test_a_function_that_is_gone(self):
        def forget(it):
            del it.alive.functions[swap.key_of(it.names["numbers"].__code__)]

        self.refuses("yield 1", "yield 2", "no function any more", forget)


if __name__ == "__main__":
    unittest.main()
