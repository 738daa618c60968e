"""How runs end, by what agent and reviewer do; the least possible iterations stand beside.

The least, stated for comparison, is what somebody who knew the whole course would have spent:
up to the verified state where there is one, else up to the round in which it could first be
seen that nothing more comes.
"""

import asyncio
from typing import NamedTuple

import pytest

from acceptance.landscape import START, a_run, bodies, decline, go, objecting, state_in, withdrawing
from setpoint.model.attempt import BreakageKind
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.run import AgentFinished, LoopRestarted
from setpoint.testing import Act, Scene

A, B, C = "t::a", "t::b", "t::c"
WRONG_TEST = "t::wrong"
NOTHING = Act(text="I am done.")
RATE_LIMITED, CRASHED = Act(breakage=BreakageKind.RATE_LIMIT), Act(breakage=BreakageKind.CRASH)


class Course(NamedTuple):
    """What happens, and how it must end."""

    states: dict
    """What is measured, by state; the start among them."""
    acts: tuple
    ending: Ending
    guard: str
    spent: int
    least: int
    best: str
    """The state that is delivered or kept."""
    reviews: tuple = ()
    limits: Limits = Limits()


def red(*failing, **more):
    return Scene(failing=failing, **more)


DONE = Scene()
ABC = {START: red(A, B, C), "ab": red(A, B), "a": red(A), "b": red(B), "c": red(C), "done": DONE}
COURSES = {
    "improves": Course(
        ABC, (go("ab"), go("a"), go("done")), Ending.VERIFIED, "", spent=3, least=3, best="done"
    ),
    "is right at once": Course(ABC, (go("done"),), Ending.VERIFIED, "", spent=1, least=1, best="done"),
    "plateaus": Course(
        {**ABC, **{f"a{number}": red(A) for number in range(9)}},
        tuple(go(f"a{number}") for number in range(9)),
        Ending.STOPPED,
        "max_same_test_failure",
        spent=4,
        least=3,
        best="a3",
    ),
    "oscillates": Course(
        ABC, tuple(go(state) for state in "abababab"), Ending.STOPPED, "max_empty_diffs", 4, 3, best="b"
    ),
    "cycles through three": Course(
        ABC,
        tuple(go(state) for state in "abcabcabc"),
        Ending.STOPPED,
        "max_rounds_without_gain",
        spent=4,
        least=4,
        best="a",
    ),
    "degrades": Course(
        {**ABC, "worse": red(A, B, C, "t::new")},
        (go("a"), go("ab"), go("worse"), go(START), go("worse"), go("ab"), go("worse")),
        Ending.STOPPED,
        "max_rounds_worse",
        spent=3,
        least=2,
        best="a",
    ),
    "makes it worse and nothing else": Course(
        {**ABC, **{f"w{number}": red(A, B, C, "t::new") for number in range(9)}},
        tuple(go(f"w{number}") for number in range(9)),
        Ending.STOPPED,
        "max_same_test_failure",
        spent=4,
        least=3,
        best=START,
    ),
    "changes nothing": Course(
        ABC, (NOTHING, NOTHING), Ending.STOPPED, "max_empty_diffs", spent=2, least=1, best=START
    ),
    "meets a flaky test": Course(
        {**ABC, "shaky": Scene(flaky=("t::f",))},
        (go("shaky"),),
        Ending.VERIFIED,
        "",
        spent=1,
        least=1,
        best="shaky",
    ),
    "faces a wrong test": Course(
        {START: red(A, WRONG_TEST), **{f"x{number}": red(WRONG_TEST) for number in range(9)}},
        tuple(go(f"x{number}") for number in range(9)),
        Ending.STOPPED,
        "max_same_test_failure",
        spent=4,
        least=3,
        best="x3",
    ),
    "is rate-limited twice": Course(
        ABC, (RATE_LIMITED, RATE_LIMITED, go("done")), Ending.VERIFIED, "", spent=1, least=1, best="done"
    ),
    "crashes for good": Course(
        ABC, (go("a"), CRASHED, CRASHED, CRASHED), Ending.BROKEN_AGENT, "", spent=1, least=1, best="a"
    ),
    "has a reviewer with a new error five times": Course(
        {**ABC, **{f"d{number}": DONE for number in range(9)}},
        tuple(go(f"d{number}") for number in range(9)),
        Ending.VERIFIED,
        "",
        spent=6,
        least=6,
        best="d5",
        reviews=tuple(objecting(word, line=0) for word in ("name", "type", "tone", "hue", "pitch")),
    ),
    "declines what the reviewer then takes back": Course(
        {**ABC, "d": DONE},
        (go("d"), decline("name")),
        Ending.VERIFIED,
        "",
        spent=2,
        least=2,
        best="d",
        reviews=(objecting("name"), withdrawing("name")),
    ),
    "declines twice what the reviewer upholds": Course(
        {**ABC, "d": DONE},
        (go("d"), decline("name"), decline("name")),
        Ending.UNPROVEN,
        "",
        spent=2,
        least=2,
        best="d",
        reviews=(objecting("name"),) * 3,
        limits=Limits(max_empty_diffs=3, repeated_findings=9),
    ),
    "has a reviewer who never lets go": Course(
        {**ABC, **{f"d{number}": DONE for number in range(9)}},
        tuple(go(f"d{number}") for number in range(9)),
        Ending.UNPROVEN,
        "",
        spent=2,
        least=2,
        best="d1",
        reviews=(objecting("name"),) * 9,
    ),
}


@pytest.mark.parametrize("name", COURSES)
def test_a_course_ends_as_it_should(tmp_path, name):
    course = COURSES[name]
    stage = a_run(tmp_path, course.states, course.acts, course.reviews, course.limits)

    outcome = asyncio.run(stage.drive())

    guard = outcome.halt.guard if outcome.halt else ""
    best = state_in(stage.workspace.files(outcome.best))
    assert (outcome.ending, guard, outcome.iterations, best) == (
        course.ending,
        course.guard,
        course.spent,
        course.best,
    )


def test_a_wrong_test_is_named_as_such(tmp_path):
    course = COURSES["faces a wrong test"]
    stage = a_run(tmp_path, course.states, course.acts)
    outcome = asyncio.run(stage.drive())
    assert (
        f"{WRONG_TEST} alone fails in every approach: the test or the specification may be wrong"
        in outcome.reason
    )


def test_a_plateau_is_left_once_with_a_fresh_context(tmp_path):
    course = COURSES["plateaus"]
    stage = a_run(tmp_path, course.states, course.acts)
    asyncio.run(stage.drive())
    (restart,) = bodies(stage, LoopRestarted)
    assert restart.iteration == 3
    assert [each.mode for each in bodies(stage, AgentFinished)] == [
        *("fresh", "fix", "fix"),
        "restart",
    ]
