"""A round of a normal run takes at most 15 lines, however much happens in it."""

from __future__ import annotations

import re

import pytest

from cli.live_story import BASH, READ, broke, ends, opening, started, told
from cli.test_presenter import a_console, played
from model.examples import BLOCKER, EXAMPLES, HALT, a_snapshot
from setpoint.cli.render.room import MOST_ROWS
from setpoint.model import events as e
from setpoint.model.evaluation import Stage
from setpoint.model.events.candidates import CandidateResult
from setpoint.model.evidence import CheckState
from setpoint.testing import Scene, evaluation

CHECKS = (
    "vulture",
    "bandit",
    "semgrep",
    "gitleaks",
    "mypy",
    "deptry",
    "typos",
    "yamllint",
    "radon",
    "eslint",
)


def many_checks(stage):
    """Return a measured tree with ten more checks that find something, new and known, and red tests."""
    plain = evaluation(stage, "c" * 40, "t" * 40, Scene(failing=tuple(f"t::{n}" for n in range(40))))
    one = plain.evidence_of("ruff")
    more = tuple(
        one.model_copy(
            update={"check": name, "state": CheckState.FAIL, "counts": {"findings": 20 + n, "new": n}}
        )
        for n, name in enumerate(CHECKS)
    )
    held = {"evidence": (*plain.evidence, *more), "findings": (BLOCKER,) * 90}
    return e.IterationEvaluated(iteration=2, evaluation=plain.model_copy(update=held))


def crowded(*, candidates=0):
    """Return a round with calls, tries, declined findings, five candidates, a confirmation and a guard."""
    standings = tuple(
        CandidateResult(
            candidate=n, agent="claude", red=1, blocking=0, score=0.5, findings=0, lines=4, cost_usd=None
        )
        for n in range(1, candidates + 1)
    )
    chosen = EXAMPLES["candidate.chosen"].model_copy(update={"standings": standings})
    bodies = [
        *(
            each
            for _ in range(4)
            for each in (started(), *([ends(READ)] * 20), broke(5), ends(BASH, ok=False))
        ),
        *([EXAMPLES["candidate.made"], EXAMPLES["candidate.measured"]] * candidates),
        *([chosen] if candidates else []),
        *([EXAMPLES["finding.declined"]] * 12),
        e.AgentFinished(phase="implement", iteration=2, snapshot=a_snapshot(None)),
        e.PhaseEntered(phase="evaluate", iteration=2),
        many_checks(Stage.EVALUATE),
        e.PhaseEntered(phase="review", iteration=2),
        *([EXAMPLES["answer.rejected"]] * 6),
        EXAMPLES["review.completed"],
        e.PhaseEntered(phase="test", iteration=2),
        many_checks(Stage.TEST),
        many_checks(Stage.CONFIRM),
        EXAMPLES["proof.measured"],
        EXAMPLES["halting.decided"],
        e.GuardFired(iteration=2, halt=HALT)
        if "iteration" in e.GuardFired.model_fields
        else e.GuardFired(halt=HALT),
        EXAMPLES["loop.phase_bounce"],
    ]
    return (*opening(), *((92 + place, body) for place, body in enumerate(bodies)))


def rounds(text):
    """Return the lines of each round: from the phase that begins it to the next."""
    parts = re.split(r"(?m)^(?=\d\d:\d\d:\d\d implement #\d+$)", text)
    return [part.splitlines() for part in parts[1:]]


def shown(timed, until, **more):
    return "".join(played(a_console(200, terminal=False), told(*timed), until, **more))


@pytest.mark.parametrize("candidates", [0, 3, 5])
def test_a_crowded_round_has_at_most_twelve_lines_and_says_what_it_left_out(candidates) -> None:
    timed = crowded(candidates=candidates)
    first, second = ([each for each in lines if " ... " not in each] for lines in rounds(shown(timed, 400)))

    assert len(first) <= MOST_ROWS
    assert 9 <= len(second) <= MOST_ROWS
    text = "\n".join(second)
    for needed in (
        "change cccccccccc",
        "evaluate: tests",
        "review by rules",
        "confirm: tests",
        "bounce 1",
        HALT.guard,
    ):
        assert needed in text
    left_out = re.search(r"→ go on: .*; lines left out, shown with -v: (\d+)", text)
    assert left_out
    assert int(left_out[1]) > 20


def test_with_everything_no_line_is_left_out() -> None:
    text = shown(crowded(), 400, everything=True)

    assert len(rounds(text)[1]) > 100
    assert "left out" not in text


def test_each_check_of_many_is_told_in_the_one_line_of_its_tree() -> None:
    lines = [each for each in rounds(shown(crowded(), 400))[1] if " evaluate: " in each]

    assert len(lines) == 1
    assert "vulture: nothing new (20 known at the base)" in lines[0]
    assert "eslint: 9 new (20 known at the base)" in lines[0]


def test_the_line_of_a_change_counts_the_calls_behind_it() -> None:
    snapshot = a_snapshot(None).model_copy(update={"label": "implement-2"})
    timed = (
        *opening(),
        (92, started()),
        *((93 + n, ends(READ)) for n in range(30)),
        (130, ends(BASH, ok=False)),
        (
            140,
            e.AgentFinished(phase="implement", iteration=2, snapshot=snapshot),
        ),
    )
    second = rounds(shown(timed, 140))[1]

    assert second[-1].endswith("+3 -1; 31 calls, 1 failed")
    assert not any("[ok" in each for each in second)


def test_a_full_round_still_gives_signs_of_life() -> None:
    busy = ((92 + n, EXAMPLES["finding.declined"]) for n in range(20))
    second = rounds(shown((*opening(), *busy), 2000))[1]

    assert len([each for each in second if " ... " in each]) > 3


def test_lines_outside_a_round_have_no_limit() -> None:
    timed = [*opening()[:2], *((30 + n, EXAMPLES["finding.declined"]) for n in range(40))]

    assert shown(timed, 100).count("declines") == 40
