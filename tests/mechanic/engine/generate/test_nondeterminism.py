"""What makes a call's answer unsure: the clock, chance, the machine; not what only seems to ask them."""

from __future__ import annotations

import dataclasses
import datetime as dt
import gc
import os
import random
import threading
import time

import pytest

from setpoint_mechanic.engine.generate.nondeterminism import Unsure


@dataclasses.dataclass
class Item:
    name: str


def asked(call):
    unsure = Unsure()
    with unsure.watching():
        call()
    return unsure.asked


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (time.time, "time"),
        (os.getpid, "getpid"),
        (random.random, "random"),
        (threading.get_ident, "get_ident"),
        (lambda: dt.datetime.now(dt.UTC), "now"),
    ],
)
def test_who_asks_is_noticed(call, name):
    assert asked(call) == {name}


@pytest.mark.parametrize("call", [lambda: repr(Item("tea")), lambda: sorted([2, 1]), lambda: Item("a") == 1])
def test_what_is_the_same_everywhere_is_sure(call):
    assert asked(call) == set()


def test_a_callback_of_the_garbage_collector_asks_for_itself():
    def timed(*_: object) -> None:
        time.perf_counter()

    gc.callbacks.append(timed)
    try:
        assert asked(gc.collect) == set()
        assert asked(lambda: (gc.collect(), time.monotonic())) == {"monotonic"}
    finally:
        gc.callbacks.remove(timed)
