"""Tests that need what others did before them."""

import pytest
from torture import shared


@pytest.fixture(scope="module")
def loaded():
    return shared.load()


def test_uses_what_is_loaded(loaded, settings):
    assert loaded and settings


def test_asserts_what_is_loaded(loaded):
    assert loaded == {"limit": 16}


def test_changes_the_settings(settings):
    settings.append(0)


def test_asserts_the_settings(settings):
    assert settings == [28, 0]


def test_remembers():
    shared.remember("a")


def test_asserts_the_memo():
    assert shared.MEMO == {"a": 17}


def test_first_step():
    shared.step()


def test_second_step():
    shared.step()
    assert shared.STEPS == [18, 19]


def test_makes_ready():
    # Reaches nothing that is mutated, but the next test needs it.
    shared.READY.append(True)


def test_weighs_when_ready():
    assert shared.READY
    assert shared.weigh() > 0
