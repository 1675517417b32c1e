"""Found and run by `python3 -m unittest` on every Python 3."""
import unittest

from slugs import Registry, slugify


class Slugify(unittest.TestCase):
    def test_words_are_joined_in_lower_case(self):
        self.assertEqual(slugify("Hello, World"), "hello-world")

    def test_accents_and_apostrophes_vanish(self):
        self.assertEqual(slugify("Café d'Été"), "cafe-dete")

    def test_other_signs_separate(self):
        self.assertEqual(slugify("  a--b\tc. "), "a-b-c")

    def test_long_titles_are_cut_at_a_word(self):
        self.assertEqual(slugify("one two three four", max_length=9), "one-two")

    def test_a_single_long_word_is_cut(self):
        self.assertEqual(slugify("x" * 50), "x" * 40)

    def test_nothing_is_left(self):
        self.assertEqual(slugify("!?"), "")

    def test_no_room_is_an_error(self):
        with self.assertRaises(ValueError):
            slugify("a", max_length=0)


class Claims(unittest.TestCase):
    def test_the_second_claim_gets_a_number(self):
        registry = Registry()
        self.assertEqual(registry.claim("News"), "news")
        self.assertEqual(registry.claim("news!"), "news-2")

    def test_a_released_slug_is_free(self):
        registry = Registry()
        registry.claim("News")
        self.assertTrue(registry.release("News"))
        self.assertEqual(registry.claim("News"), "news")


if __name__ == "__main__":
    unittest.main()
