"""What a child of the warm session says of its mutants, and what happens when it breaks off."""

import os
from types import SimpleNamespace

import pytest

from setpoint_probe.mutants.kills import Kills
from setpoint_probe.process.children import Limits
from setpoint_probe.session.session import FAILED, PASSED, Ran
from setpoint_probe.wire.score import KILLED, SURVIVED

LIMITS = Limits(4 << 30, 20.0)


class Suite:
    """One test, which notices the mutant "noticed", and then fails for ever in that process."""

    def __init__(self, swapper):
        self.swapper, self.spoilt = swapper, False

    def run(self, _test):
        self.spoilt = self.spoilt or self.swapper.live == "noticed"
        return Ran(FAILED if self.spoilt else PASSED)


class Swapper:
    live, begun = "", False

    def apply(self, _source, unit, _edits, _compiled):
        self.live, self.begun = unit, True

    def undo(self):
        self.live = ""


class Watch:
    """All tests pass and come by the change, on another path than on the original."""

    def __init__(self, swapper, at_last):
        self.swapper, self.at_last = swapper, at_last

    def run(self, _test):
        return PASSED, frozenset({("calc.py", 1)})

    def unlike(self, tests):
        return self.at_last(tests) if self.swapper.begun else set()

    def can_be_same(self, _mutant):
        return False

    def is_same(self, _mutant, _paths):
        return False

    def came_by(self, _mutant, _paths):
        return True

    def wanted(self, _file):
        return False


@pytest.fixture
def judged(tmp_path):
    """Judge mutants that are known by their names; gives what was said of each, in that order."""

    def judge(names, at_last):
        swapper = Swapper()
        judges = SimpleNamespace(
            each=frozenset(),
            jobs=1,
            reached={"test": frozenset()},
            of=lambda *_: ["test"],
            arm=lambda *_: None,
            cost_s=lambda _: 0.0,
            watching_s=lambda _: 0.0,
        )
        mutants = [
            SimpleNamespace(unit=name, source=None, edits=(), compiled=None, lines=(1, 1)) for name in names
        ]
        seen = []
        kills = Kills(
            Suite(swapper),
            judges,
            swapper,
            Watch(swapper, at_last),
            LIMITS,
            str(tmp_path),
            str(tmp_path),
            float("inf"),
        )
        assert kills.run(mutants, lambda place, tried: seen.append((names[place], tried))) == []
        return seen

    return judge


def test_survivors_behind_others_count_where_their_tests_are_as_before(judged):
    tried = judged(["first", "second", "third"], lambda _: set())
    assert [(name, each.verdict) for name, each in tried] == [
        ("first", SURVIVED),
        ("second", SURVIVED),
        ("third", SURVIVED),
    ]


def test_survivors_are_tried_alone_where_their_tests_are_not_as_before(judged):
    tried = judged(["first", "second", "third"], set)
    assert [(name, each.verdict) for name, each in tried] == [
        ("first", SURVIVED),
        ("third", SURVIVED),
        ("second", SURVIVED),
    ]


def test_a_mutant_that_spoils_the_process_begins_the_next(judged):
    tried = judged(["first", "noticed", "third"], lambda _: set())
    assert [(name, each.verdict, each.test) for name, each in tried] == [
        ("first", SURVIVED, ""),
        ("noticed", KILLED, "test"),
        ("third", SURVIVED, ""),
    ]


def test_an_end_while_a_survivor_is_looked_at_is_no_mutants_doing(judged):
    tried = judged(["first", "second", "noticed", "third"], lambda _: os._exit(3))
    assert len(tried) == len({name for name, _ in tried}) == 4
    found = dict(tried)
    assert (found["noticed"].verdict, found["noticed"].test) == (KILLED, "test")
    assert {found[name].verdict for name in ("first", "second", "third")} == {SURVIVED}
