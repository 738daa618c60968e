"""Stand-ins for time, chance, processes and the network: what code sees that asks them."""

from __future__ import annotations

import asyncio
import datetime as dt
import random
import socket
import subprocess
import time
import types
import urllib.error
import urllib.request
import uuid

import pytest

from setpoint_mechanic.engine.generate.doubles.recorded_network import recorded_network
from setpoint_mechanic.engine.generate.doubles.recorded_processes import recorded_processes
from setpoint_mechanic.engine.generate.doubles.steady_chance import steady_chance
from setpoint_mechanic.engine.generate.doubles.still_clock import still_clock
from setpoint_mechanic.engine.generate.doubles.still_loop import run_still
from setpoint_mechanic.engine.generate.limits import TimeUp
from setpoint_mechanic.engine.generate.stand_ins import NETWORK, copied, needed, run_watched


async def waits(seconds):
    await asyncio.sleep(seconds)
    return asyncio.get_running_loop().time()


def test_who_waits_in_a_still_loop_waits_no_time():
    began = time.monotonic()

    assert run_still(waits(3600)) == 3600.0
    assert time.monotonic() - began < 600


def test_threads_of_a_still_loop_come_to_their_end_before_its_timers():
    async def both():
        return await asyncio.wait_for(asyncio.to_thread(sum, [1, 2]), timeout=0.001)

    assert run_still(both()) == 3


@pytest.mark.parametrize(("call", "still"), [(lambda: waits(1), True), (lambda: asyncio.sleep(0), False)])
def test_only_who_asks_the_loops_clock_needs_a_still_one(call, still):
    assert run_watched(call())[1] is still


def test_who_waits_for_ever_is_out_of_time():
    async def for_ever():
        await asyncio.Event().wait()

    with pytest.raises(TimeUp):
        run_watched(for_ever())


def test_the_clock_stands_still_and_sleep_moves_it():
    module = types.SimpleNamespace(datetime=dt.datetime, sleep=time.sleep, now=time.time)

    with still_clock(module):
        assert module.datetime.now(dt.UTC).isoformat() == "2020-01-02T03:04:05+00:00"
        module.sleep(3600)
        assert module.datetime.now(dt.UTC).hour == 4
        assert dt.date.today() == dt.date(2020, 1, 2)  # noqa: DTZ011 - what is stood in for
        assert isinstance(module.datetime(2021, 1, 1, tzinfo=dt.UTC), module.datetime)
        assert module.now() == 1577934245.0 + 3600
    assert module.datetime is dt.datetime
    assert dt.datetime.now(dt.UTC).year > 2020


def test_chance_is_the_same_each_time_and_then_again_chance():
    given = []
    for _ in range(2):
        with steady_chance(7):
            given.append((random.random(), uuid.uuid4()))

    assert given[0] == given[1]
    assert uuid.uuid4() != uuid.uuid4()


@pytest.mark.parametrize("words", [{"text": True}, {"encoding": "utf-8"}, {}])
def test_no_process_starts_and_its_words_are_kept(words):
    with recorded_processes("one\n", 3) as started:
        done = subprocess.run(["no-such-program"], capture_output=True, check=False, **words)
        with pytest.raises(subprocess.CalledProcessError):
            subprocess.check_output("other", shell=True)

    assert (done.returncode, done.stdout) == (3, "one\n" if words else b"one\n")
    assert started == [["no-such-program"], "other"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_network_is_reached_and_what_is_sent_is_kept(scheme):
    with eval(NETWORK[0]) as sent, urllib.request.urlopen(f"{scheme}://nowhere.invalid/a") as answer:
        assert answer.read() == b'{"a": 1}'
    assert sent[0].startswith(b"GET /a HTTP/1.1\r\n")
    assert b"Python" not in sent[0]
    with eval(NETWORK[1]), pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"{scheme}://nowhere.invalid/b")


def test_each_connection_gets_the_next_answer():
    async def read():
        reader, writer = await asyncio.open_connection("nowhere.invalid", 1)
        writer.write(b"hello")
        await writer.drain()
        return await reader.read()

    with recorded_network(b"one", b"two") as sent:
        with socket.create_connection(("nowhere.invalid", 80)) as line:
            line.sendall(b"?")
            assert line.recv(10) == b"one"
        assert asyncio.run(read()) == b"two"
    assert sent == [b"?", b"hello"]


def test_what_a_call_needs_follows_from_what_it_asked_and_was_refused():
    assert needed({"now", "getpid"}, (), "shop") == ("still_clock(shop)",)
    assert [
        each.partition("(")[0] for each in needed({"urandom"}, ("socket.connect", "subprocess.Popen"), "x")
    ] == [
        "steady_chance",
        "recorded_processes",
        "recorded_network",
    ]
    assert needed((), ("os.remove",), "shop") == ()


def test_a_copied_stand_in_runs_by_itself():
    made = copied("    with still_clock(shop):\n        run_still(x())")
    names: dict[str, object] = {}

    exec("\n".join([*made.imports, *made.texts]), names)

    assert {"still_clock", "run_still", "StillLoop"} <= names.keys()
    assert "recorded_network" not in names
