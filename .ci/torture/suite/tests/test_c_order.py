"""Tests whose order says what they show, and fixtures that outlive a test. Some take a while, so that a
worker may stand after them."""

import time

import pytest
from torture import order

RUNNING = []


@pytest.fixture
def slowly():
    end = time.process_time() + 0.04
    while time.process_time() < end:
        pass


@pytest.fixture(scope="module")
def table():
    yield order.table()
    assert order.closed() == 62


@pytest.fixture(scope="module", params=[1, 2], ids=["once", "twice"])
def factor(request):
    return request.param


def test_keeps_what_is_there(slowly):
    order.KEPT["size"] = 31


def test_adds_what_is_missing():
    # What it enters does not matter any more.
    order.KEPT.setdefault("size", order.size())
    assert order.KEPT == {"size": 31}


def test_becomes_strict(slowly):
    order.STRICT.append(True)


def test_is_strict():
    value = order.strict()
    assert not order.STRICT or value == 51


def test_makes_the_table(table, slowly):
    assert table


def test_looks_at_the_table(table):
    assert table == {"rows": 61}


@pytest.fixture(scope="class")
def place():
    return [order.opened()]


class TestOpened:
    def test_fills_it(self, place, slowly):
        place.append(0)

    def test_looks_into_it(self, place):
        assert place == [63, 0]


@pytest.mark.parametrize("case", ["short", "with space", "long"])
def test_cases(case, table, slowly):
    assert case != "long" or order.long() == 64


def test_scaled(factor):
    assert factor == 1 or order.scaled(factor) == 130


def test_patches(monkeypatch, slowly):
    monkeypatch.setattr(order, "patched", lambda: 0)
    assert order.patched() == 0


def test_patched():
    assert order.patched() == 67


def test_begins_to_run(slowly):
    RUNNING.append(order.stream())
    RUNNING.append(order.adder(1))
    assert next(RUNNING[0]) == 68


def test_goes_on_running():
    assert next(RUNNING[0]) == 69
    assert RUNNING[1]() == 72


def test_fills_the_cache(slowly):
    assert order.cached()


def test_looks_into_the_cache():
    assert order.cached() == 72


def test_does_not_listen(slowly):
    assert order.unheard()


def test_last():
    assert order.last() == 66
