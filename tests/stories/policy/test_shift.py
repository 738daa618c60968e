"""When a worker may begin which stories: hours, limits, files in common, and what was tried before."""

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from setpoint.model.config.limits import BoardLimits
from setpoint.model.stories.board import ActionKind, Card
from setpoint.model.stories.story import Status
from setpoint.stories.policy.assessor import next_action
from setpoint.stories.policy.shift import ShiftSoFar, choose, shift_at, why_idle

NONE = frozenset()
FIRST = datetime.fromisoformat("2020-01-02")


def card(name, kind=ActionKind.START):
    return Card(id=name, title=name, path=f"{name}.md", status=Status.READY, action=next_action(kind, "why"))


def chosen(cards, limits=None, so_far=None, left=None, files=None):
    files = files or {}
    made = choose(
        cards,
        BoardLimits(**(limits or {})),
        so_far or ShiftSoFar(),
        left or {},
        lambda name: files.get(name, NONE),
    )
    return made[1] or [each.id for each in made[0]]


@pytest.mark.parametrize(
    ("hours", "at", "shift"),
    [
        ("", "2026-03-02T03:00", "2026-03-02"),
        ("22:00-07:00", "2026-03-02T21:59:59", ""),
        ("22:00-07:00", "2026-03-02T22:00", "2026-03-02"),
        ("22:00-07:00", "2026-03-03T06:59:59", "2026-03-02"),
        ("22:00-07:00", "2026-03-03T07:00", ""),
        ("09:00 - 17:00", "2026-03-03T09:00", "2026-03-03"),
        ("09:00-17:00", "2026-03-03T17:00", ""),
        ("09:00-17:00", "2026-03-03T08:59", ""),
        ("00:00-06:00", "2026-03-03T00:00", "2026-03-03"),
        ("22:00-00:00", "2026-03-03T23:59", "2026-03-03"),
        ("22:00-00:00", "2026-03-03T00:00", ""),
    ],
)
def test_a_shift_is_named_by_the_day_on_which_its_hours_began(hours, at, shift):
    assert shift_at(datetime.fromisoformat(at), BoardLimits(hours=hours).window) == shift


@pytest.mark.parametrize(
    "hours", ["22-7", "22:00", "25:00-07:00", "7:00-9:00", "07:00-07:00", "-", "22:00-07:00-08:00"]
)
def test_hours_that_are_none_are_refused_with_an_example(hours):
    with pytest.raises(ValidationError, match=r"is not a window of hours; for example 22:00-07:00"):
        BoardLimits(hours=hours)


@given(
    begin=st.times(),
    end=st.times(),
    at=st.datetimes(min_value=FIRST, max_value=FIRST + timedelta(days=9999)),
)
def test_each_window_covers_what_the_opposite_one_does_not(begin, end, at):
    if begin != end:
        inside, outside = shift_at(at, (begin, end)), shift_at(at, (end, begin))
        assert bool(inside) != bool(outside)
        named = datetime.fromisoformat(f"{inside or outside}")
        assert timedelta(0) <= at - named < timedelta(days=2)


@pytest.mark.parametrize(
    ("limits", "so_far", "expected"),
    [
        ({"stop_for_person": True}, {"asking": ["b"]}, "b needs a person (board.stop_for_person)"),
        ({}, {"asking": ["b"], "seconds": 1e6}, ["a"]),
        ({"max_cost_usd": "1.50"}, {"spent_usd": Decimal("1.49")}, ["a"]),
        (
            {"max_cost_usd": "1.50"},
            {"spent_usd": Decimal("1.50")},
            "$1.50 of $1.50 are spent (board.max_cost_usd)",
        ),
        ({"max_wall_s": 60}, {"seconds": 59.0}, ["a"]),
        ({"max_wall_s": 60}, {"seconds": 60.0}, "60 of 60 seconds are over (board.max_wall_s)"),
        ({}, {"broken": "the agent broke"}, "the agent broke"),
        ({"max_stories": 1}, {"taken": {"b"}}, "taken up already: 1 story (board.max_stories)"),
        ({"max_stories": 1}, {"taken": {"a"}}, ["a"]),
        ({"max_stories": 2}, {"taken": {"b"}}, ["a"]),
        ({}, {"running": ["b"]}, []),
        ({"jobs": 2}, {"running": ["b"]}, ["a"]),
        ({"jobs": 2}, {"running": ["a"]}, []),
    ],
)
def test_limits_keep_stories_from_being_taken_up(limits, so_far, expected):
    assert chosen([card("a")], limits, ShiftSoFar(**so_far)) == expected


def test_a_story_begins_again_only_when_something_else_is_to_be_done():
    cards = [card("a", ActionKind.MAKE)]
    assert chosen(cards, left={"a": cards[0].action}) == []
    assert chosen(cards, left={"a": None}) == []
    assert chosen(cards, left={"a": next_action(ActionKind.ANSWER, "it asks")}) == ["a"]


def test_stories_of_one_file_are_not_worked_on_at_once():
    files = {"a": frozenset({"x", "y"}), "b": frozenset({"y", "z"}), "d": frozenset({"z"})}
    cards = [card(name) for name in "abcd"]
    assert chosen(cards, {"jobs": 4}, files=files) == ["a", "c", "d"]
    assert chosen(cards[1:], {"jobs": 4}, ShiftSoFar(running=["a"]), files=files) == ["c", "d"]


@given(
    jobs=st.integers(1, 4),
    most=st.none() | st.integers(1, 5),
    kinds=st.lists(st.sampled_from(ActionKind), max_size=8),
    running=st.sets(st.integers(0, 7), max_size=4),
    taken=st.sets(st.integers(0, 7)),
    files=st.lists(st.frozensets(st.sampled_from("xyz"), max_size=2), min_size=8, max_size=8),
)
def test_no_choice_breaks_a_limit(jobs, most, kinds, running, taken, files):
    cards = [card(str(place), kind) for place, kind in enumerate(kinds)]
    by_name = {str(place): each for place, each in enumerate(files)}
    running, taken = {str(each) for each in running}, {str(each) for each in running | taken}
    so_far = ShiftSoFar(running=sorted(running), taken=taken)
    begun, limit = choose(cards, BoardLimits(jobs=jobs, max_stories=most), so_far, {}, by_name.__getitem__)
    names = [each.id for each in begun]
    assert all(each.action.automatic for each in begun)
    assert not running & set(names)
    assert not names or len(names) + len(running) <= jobs
    assert most is None or not set(names) - taken or len(taken | set(names)) <= most
    held = [path for name in names for path in by_name[name]]
    assert len(held) == len(set(held))
    assert not set(held) & {path for name in running for path in by_name[name]}
    assert not (names and limit)


def test_an_idle_worker_says_what_the_stories_wait_for():
    assert why_idle([card("a", ActionKind.REST)], {}) == "nothing is ready: every story is done"
    cards = [
        card("a", ActionKind.ANSWER),
        card("b", ActionKind.LOOK),
        card("c", ActionKind.WAIT),
        card("d", ActionKind.MAKE),
    ]
    said = why_idle(cards, {"d": cards[3].action})
    assert said == (
        "nothing is ready: 2 stories wait for a person, 1 story waits for other stories "
        "and 1 story waits for the next shift"
    )
