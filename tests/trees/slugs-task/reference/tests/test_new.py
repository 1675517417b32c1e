import unittest

import slugs


class New(unittest.TestCase):
    def test_signs(self):
        self.assertEqual(slugs.slug("Hello, World!"), "hello-world")

    def test_longest(self):
        self.assertEqual(slugs.slug("one two three", longest=7), "one-two")
        self.assertEqual(slugs.slug("one two three", longest=6), "one")

    def test_initials(self):
        self.assertEqual(slugs.initials("Hello, World!"), "hw")


if __name__ == "__main__":
    unittest.main()
