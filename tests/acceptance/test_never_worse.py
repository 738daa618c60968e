"""Whatever agents and reviewers do, a run ends, and what it delivers is no worse than what it began with."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from acceptance.landscape import START, a_run, bodies, decline, go, objecting, state_in, withdrawing
from setpoint.model.attempt import BreakageKind
from setpoint.model.config.limits import Limits
from setpoint.model.ending import Ending
from setpoint.model.events.run import AgentFinished, ReviewCompleted
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.stories.story import KnownRed
from setpoint.model.verdict import Judgement
from setpoint.settings import CLASSIC
from setpoint.testing import Act, Scene

OLD, NEW = ("t::a", "t::b", "t::c"), ("t::x", "t::y")
FINDINGS = (
    Finding(source="mypy", severity=Severity.ERROR, category=Category.TYPES, message="wrong type"),
    Finding(source="bandit", severity=Severity.CRITICAL, category=Category.SECURITY, message="a way in"),
    Finding(source="ruff", severity=Severity.WARNING, category=Category.STYLE, message="a long line"),
)
WORDS = ("name", "type", "tone", "hue")
STATES = ("one", "two", "three", "four")


@st.composite
def worlds(draw):
    red = draw(st.sampled_from((set(), {OLD[0]}, {*OLD[:2]}, {*OLD}, {*OLD})))
    known_red = draw(st.sampled_from(list(KnownRed)))

    def scene(failing, **more):
        counts = tuple(test for test in sorted(failing) if known_red is KnownRed.FIX or test not in red)
        return Scene(failing=counts, known_red=tuple(sorted(failing - set(counts))), **more)

    states = {START: scene(red)}
    for name in STATES:
        partly = red - draw(st.sets(st.sampled_from(OLD), min_size=1))
        failing = draw(st.sampled_from((partly, partly, partly | {NEW[0]}, red | {NEW[0]})))
        states[name] = scene(
            failing,
            findings=draw(st.sampled_from(((), (), *((finding,) for finding in FINDINGS)))),
            broken=("ruff",) if draw(st.integers(0, 9)) == 0 else (),
            flaky=("t::f",) if draw(st.integers(0, 4)) == 0 else (),
            agent_wrote_tests=draw(st.booleans()),
        )
    states["done"] = Scene()
    return states, known_red


ACTS = st.one_of(
    st.sampled_from((*STATES, "done", START)).map(go),
    st.just(Act(text="I see nothing to do.")),
    st.sampled_from(WORDS).map(decline),
    st.sampled_from(
        (BreakageKind.CRASH, BreakageKind.RATE_LIMIT, BreakageKind.TIMEOUT, BreakageKind.AUTH)
    ).map(lambda kind: Act(breakage=kind)),
)
REVIEWS = st.one_of(
    st.builds(
        objecting,
        st.sampled_from(WORDS),
        severity=st.sampled_from(("info", "warning", "error", "critical")),
        line=st.integers(0, 2),
    ),
    st.just(objecting()),
    st.sampled_from(WORDS).map(withdrawing),
    st.just(objecting(decision="require_human")),
    st.just(Act(text="I like it.")),
    st.just(objecting(decision="approve")),
)
LIMITS = st.builds(
    lambda classic, most: Limits(**{**(CLASSIC if classic else {}), "max_iterations": most}),
    st.booleans(),
    st.integers(1, 7),
)


def reds(scene):
    return set(scene.failing) | set(scene.known_red)


def blocks(scene):
    return bool(scene.broken) or any(finding.blocking for finding in scene.findings)


@pytest.mark.timeout(900)
@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(worlds(), st.lists(ACTS, max_size=9), st.lists(REVIEWS, max_size=7), LIMITS)
def test_no_run_ends_worse_than_it_began(world, acts, reviews, limits):
    states, known_red = world
    with tempfile.TemporaryDirectory() as folder:
        stage = a_run(Path(folder), states, acts, reviews, limits, known_red)
        outcome = asyncio.run(stage.drive())
        best = states[state_in(stage.workspace.files(outcome.best))]

    event(f"{outcome.ending}, {'a branch' if outcome.branch else 'nothing'} delivered")
    assert outcome.iterations <= limits.max_iterations
    assert len(bodies(stage, AgentFinished)) <= limits.max_iterations + 1
    assert reds(best) <= reds(states[START])
    if outcome.best == stage.workspace.base:
        assert not outcome.branch
    if outcome.branch:
        assert not blocks(best)
        assert not states[START].failing or len(best.failing) < len(states[START].failing)
        verified = "IMPLEMENTATION_VERIFIED" in stage.forge.branches[outcome.branch].message
        assert verified == (outcome.ending is Ending.VERIFIED)
    if outcome.ending is Ending.VERIFIED:
        assert not best.failing
        last = bodies(stage, ReviewCompleted)[-1].verdict
        assert last.judgement in (Judgement.APPROVE, Judgement.REQUEST_CHANGES)
        assert not last.blocking
