"""Runs of new tests in other orders: what gave no answer was not judged, and is not kept."""

from __future__ import annotations

import time
from textwrap import dedent

import pytest

from probe.conftest import answered
from setpoint_mechanic.engine.generate import replay as replaying
from setpoint_mechanic.engine.generate.replay import ENDS_RUN, OTHER_ORDER, Replay, Shuffled, in_orders
from setpoint_mechanic.engine.wire.cover import JudgeRequest
from setpoint_mechanic.engine.wire.order import argv_of, read_judge
from setpoint_probe.process.children import Limits

NAMES = tuple(f"test_a.py::test_{name}" for name in ("one", "two", "three"))


@pytest.fixture
def how(tmp_path):
    return Replay(str(tmp_path), ("test_a.py",), str(tmp_path), Limits(1 << 30, 8.0), alone=1, shuffled=2)


@pytest.fixture
def runs(monkeypatch):
    """Answer runs in turn: what each test comes to, `hangs` and all behind it are not heard of."""
    asked = []

    def answering(*answers):
        left = list(answers)

        def shuffled(how, seed, tests, wall_s):
            asked.append((seed, tuple(tests), wall_s))
            answer = left.pop(0)
            run = Shuffled(ended="hangs" not in answer.values())
            for test in tests:
                if answer.get(test) == "hangs":
                    run.running = test
                    break
                run.failed += [test] if answer.get(test) == "fails" else []
                run.passed |= set() if answer.get(test) in ("fails", "unheard") else {test}
            return run

        monkeypatch.setattr(replaying, "shuffled", shuffled)
        return asked

    return answering


def test_tests_that_pass_in_each_order_are_good(how, runs):
    asked = runs({}, {NAMES[1]: "fails"})

    assert in_orders(how, NAMES, time.monotonic() + 60) == ({NAMES[1]: OTHER_ORDER}, 2)
    assert [seed for seed, *_ in asked] == [1, 2]


def test_one_that_hangs_goes_and_the_others_are_run_again_without_it(how, runs):
    asked = runs({NAMES[0]: "hangs"}, {}, {})

    assert in_orders(how, NAMES, time.monotonic() + 60) == ({NAMES[0]: ENDS_RUN}, 2)
    assert [(seed, tests) for seed, tests, _ in asked] == [(1, NAMES), (1, NAMES[1:]), (2, NAMES[1:])]


def test_one_that_nothing_was_heard_of_is_not_kept(how, runs):
    runs({NAMES[2]: "unheard"}, {})
    bad, _ = in_orders(how, NAMES, time.monotonic() + 60)

    assert list(bad) == [NAMES[2]]
    assert bad[NAMES[2]].startswith("was not judged")


def test_the_first_order_is_run_when_the_time_is_up_and_the_second_is_not(how, runs):
    asked = runs({})

    assert in_orders(how, NAMES, time.monotonic() - 5) == ({}, 1)
    assert asked[0][2] >= 10.0


ALONE = """
    import os
    import threading

    SEEN = []


    def test_one():
        SEEN.append(1)


    def test_two():
        SEEN.append(2)


    def test_three():
        SEEN.append(3)


    def test_ends_the_process_among_others():
        if SEEN:
            os._exit(0)
"""
HALFWAY = """
    import os

    FORKS = []


    def ends():
        FORKS.append(1)
        if len(FORKS) == 2:
            os._exit(0)


    os.register_at_fork(after_in_parent=ends)


    def test_one():
        assert True


    def test_two():
        assert True


    def test_three():
        assert True
"""


def judged(tmp_path, tests):
    root = tmp_path / "project"
    root.mkdir()
    (root / "code_of.py").write_text("A = 1\n", "utf-8")
    (root / "test_a.py").write_text(dedent(tests), "utf-8")
    missed = (("code_of.py", (1,), ()),)
    request = JudgeRequest(
        tree=str(root), tests=("test_a.py",), missed=missed, scratch=str(tmp_path / "scratch")
    )
    return {
        each.id.rpartition("::")[2]: each.why_not for each in answered(request, read_judge, argv_of).tests
    }


def test_a_test_that_ends_the_run_among_others_is_no_good_and_the_others_are(tmp_path):
    found = judged(tmp_path, ALONE)

    assert found.pop("test_ends_the_process_among_others") == ENDS_RUN
    assert found == dict.fromkeys(("test_one", "test_two", "test_three"), "")


def test_where_the_process_ends_halfway_the_tests_behind_are_not_judged(tmp_path):
    found = judged(tmp_path, HALFWAY)

    assert found.pop("test_one") == ""
    assert set(found) == {"test_two", "test_three"}
    assert all(why.startswith("was not judged") for why in found.values())
