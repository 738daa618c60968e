"""A run that dies at any event, before or after it is recorded, comes to the same end when it is opened anew.

Each event of a run that nothing happened to gives two points, so a new step is covered without a word here.
The run dies within this process, over the real git, database, engine, agents and checks. A run whose process
is really killed is in `test_run_verb.py`, and in `test_crash_matrix.py` for many random moments.
"""

import asyncio
import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

import pytest

from acceptance.conftest import QUICK, RIGHT, WISH, new_repository
from acceptance.test_crash_matrix import gone
from setpoint.app.runs.drive import drive_run
from setpoint.app.runs.order import make_order, resolve_story
from setpoint.durable.inline import Crash
from setpoint.model.events.candidates import CandidateMade
from setpoint.model.events.live import AgentSaid, SessionOpened, ToolStarted
from setpoint.model.events.run import (
    AgentSpent,
    AgentStarted,
    BaselineMeasured,
    IterationEvaluated,
    PhaseBounce,
    ReviewAnswered,
    RunFinished,
    RunResumed,
    ToolExecuted,
)
from setpoint.wiring.project import Project, find_run, open_project, recorded_order

GROUPS, SHARES = 7, 12
"""Runs that share the points, each dying again and again; and tests in which each run dies once.

The even groups hold at least one of the two points of each event.
"""
FEW = 8
"""One in so many points while candidates work is tried in the first tier."""
COSTS = {"actor": Decimal("0.25"), "other": Decimal("0.25"), "critic": Decimal("0.0625")}
NEARER = "sed -i -e 's/a [*] b/a + b/' -e 's/a - b/a * b/' calc.py"
"""Makes the second-best change first and the right one then; what it does depends on the work copy alone."""
APPROVAL = {"say": json.dumps({"decision": "approve", "findings": []})}
OF_TRIES = (AgentStarted, AgentSaid, AgentSpent, SessionOpened, ToolExecuted, ToolStarted)
MEASURING = (BaselineMeasured, IterationEvaluated)
ENDING = {"ending", "reason", "iterations", "bounces", "best_iteration", "branch", "score", "known_issues"}


@pytest.fixture(autouse=True, scope="module")
def _quick():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in QUICK.items():
            patch.setenv(name, value)
        yield


def bounced(folder):
    """Make a repository whose run is sent back once and reviewed by an agent that costs something."""
    repository = new_repository(folder / "user project")
    settings = '[agents]\nmaker = "actor"\nreviewer = "critic"\n'
    cost = {name: {"cost": float(each)} for name, each in COSTS.items()}
    repository.players(settings, actor=[cost["actor"], {"shell": NEARER}], critic=[cost["critic"], APPROVAL])
    return repository


def contested(folder):
    """Make a repository in whose run a wrong and a right candidate work at once."""
    repository = new_repository(folder / "user project")
    steps = {
        name: [{"cost": float(COSTS[name])}, {"shell": f"sed -i 's/a - b/{text}/' calc.py"}]
        for name, text in (("other", "a * b"), ("actor", "a + b"))
    }
    repository.players('[agents]\ncandidates = ["other", "actor"]\n', **steps)
    return repository


class Point(NamedTuple):
    """Where a run dies."""

    when: str
    key: str
    """That of the event; of an attempt that was lost before, the try that is made then counts, too."""


class MortalLog:
    """The project's log until the process dies at a point; nothing is recorded from then on."""

    def __init__(self, log, point):
        self.log, self.point = log, point
        self.dead = False
        self.driving = None
        self.handed = []
        """What was to be recorded, and None for each result of a check, in order."""

    def append(self, trace_id, key, bodies):
        self.handed += bodies
        here = first_try(key)
        if self.dead or self.point == ("before", here):
            self.die(here)
        events = self.log.append(trace_id, key, bodies)
        if self.point == ("after", here):
            self.die(here)
        return events

    def die(self, key):
        if not self.dead:
            self.driving.cancel()  # whoever calls back for an agent's library keeps the crash to himself
        self.dead = True
        raise Crash(key)

    def __getattr__(self, name):
        return getattr(self.log, name)


def first_try(key):
    return re.sub(r":\d+:", ":1:", key)


@dataclass
class Life:
    """What one process saw of a run."""

    found: tuple = ()
    """Events that were recorded before it."""
    left: tuple = ()
    """Events that were recorded after it."""
    handed: list = field(default_factory=list)
    plays: int = 0
    died: bool = False
    outcome: object = None


def live(repository, point=None):
    """Open the project, begin its run or go on with it, until its end or the point."""
    project = open_project(repository.root)
    log = MortalLog(project.log, point)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Project, "log", log)
        return lived(repository, project, log)


def lived(repository, project, log):
    """Begin the run of a project or go on with it, until its end or the death of its log."""
    played, life = plays(repository), Life()

    def runner(coroutine):
        async def driving():
            log.driving = asyncio.current_task()
            return await coroutine

        return asyncio.run(driving())

    try:
        if known := log.traces():
            life.found = log.replay(known[0])
            order = recorded_order(project, known[0])
        else:
            order = make_order(project, resolve_story(project, WISH))
        try:
            told = lambda *_: log.handed.append(None)
            life.outcome = drive_run(project, order, told=told, runner=runner)
        except BaseException:
            if not log.dead:
                raise
        life.died, life.handed, life.left = log.dead, log.handed, log.replay(order.trace_id)
        assert life.died == (life.outcome is None), "the crash was caught"
        if life.left and not bodies(life.left, RunFinished):
            assert find_run(project, unfinished=True).trace_id == order.trace_id
    finally:
        project.store.close()
    life.plays = plays(repository) - played
    return life


def plays(repository, *names):
    """Count how often the agents were really asked."""
    files = [repository.root.parent / "played" / name for name in names or COSTS]
    return sum(int(file.read_text("ascii")) for file in files if file.exists())


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Give runs that nothing happened to, by what made their repository."""
    known = {}

    def of(made):
        if made not in known:
            repository = made(tmp_path_factory.mktemp("whole"))
            known[made] = repository, live(repository)
        return known[made]

    return of


def points(whole):
    """Name all points of a run, in order."""
    return [Point(when, event.key) for event in whole.left for when in ("before", "after")]


def of_candidates(whole):
    """Name the points of a run at which candidates work."""
    keys = [event.key for event in whole.left]
    working = keys[keys.index("recall:implement-1") + 1 : keys.index("implement-1") + 1]
    return [point for point in points(whole) if point.key in working]


def dies(repository, whole, wanted):
    """Let a run die at each of the points, as far as they are still ahead, and come to its end."""
    lives = []
    for point in wanted:
        if not lives or point.key not in {first_try(event.key) for event in lives[-1].left}:
            lives.append(live(repository, point))
            assert lives[-1].died, point
    assert lives
    lives.append(live(repository))
    nothing_is_lost(lives)
    nothing_is_done_twice(lives)
    came_to_the_same_end(repository, lives[-1], *whole)
    return lives


def nothing_is_lost(lives):
    for before, after in pairwise(lives):
        assert after.found == before.left
        assert after.left[: len(after.found)] == after.found
    last = lives[-1].left
    assert [event.seq for event in last] == list(range(1, len(last) + 1))
    assert len({event.key for event in last}) == len(last)


def nothing_is_done_twice(lives):
    for life in lives:
        known = {event.key for event in life.found}
        tried = {each.label for each in life.handed if isinstance(each, OF_TRIES)}
        made = {f"{each.body.snapshot.label}" for each in life.found if isinstance(each.body, CandidateMade)}
        assert not tried & (known | made)
        assert life.plays <= len(tried)
        if not bodies(lives[-1].left, CandidateMade):
            only_what_is_recorded_next_is_measured(life.handed)


def only_what_is_recorded_next_is_measured(handed):
    for result, following in pairwise(handed):
        assert result is not None or following is None or isinstance(following, MEASURING)
    assert not handed or handed[-1] is not None


def came_to_the_same_end(repository, last, other, whole):
    outcome, wanted = last.outcome, whole.outcome
    assert outcome.model_dump(include=ENDING) == wanted.model_dump(include=ENDING)
    assert steps(last.left) == steps(whole.left)
    spent = {(each.label, each.attempt): each.usage.cost_usd for each in bodies(last.left, AgentSpent)}
    charged = sum(filter(None, spent.values()), Decimal(0))
    real = sum(plays(repository, name) * cost for name, cost in COSTS.items())
    assert max(charged, wanted.cost_usd) <= outcome.cost_usd <= real
    for words in (
        ("diff", "main", outcome.branch),
        ("rev-list", "--count", f"main..{outcome.branch}"),
        ("branch", "--list"),
        ("status", "--porcelain"),
    ):
        assert repository.git(*words) == other.git(*words)
    for name in COSTS:
        assert gone(str(repository.root.parent / f"{name}.json"))


def steps(events):
    """Name what is recorded once, whatever dies; candidates end in any order."""
    once = [event.key for event in events if not isinstance(event.body, (*OF_TRIES, RunResumed))]
    return sorted(once) if bodies(events, CandidateMade) else once


def bodies(events, kind):
    return [event.body for event in events if isinstance(event.body, kind)]


def test_a_run_that_nothing_happens_to_is_sent_back_once_and_reviewed(whole):
    repository, life = whole(bounced)
    outcome = life.outcome
    assert (outcome.ending, outcome.iterations, outcome.bounces) == ("verified", 2, 1)
    assert len(bodies(life.left, PhaseBounce)) == len(bodies(life.left, ReviewAnswered)) == 1
    assert (life.plays, outcome.cost_usd) == (3, Decimal("0.5625"))
    assert repository.git("show", f"{outcome.branch}:calc.py") == RIGHT.strip()
    assert len(points(life)) == 2 * len(life.left)


def test_of_two_candidates_to_which_nothing_happens_the_right_one_is_chosen(whole):
    repository, life = whole(contested)
    assert len(bodies(life.left, CandidateMade)) == life.plays == 2
    assert len(of_candidates(life)) > FEW
    assert repository.git("show", f"{life.outcome.branch}:calc.py") == RIGHT.strip()


@pytest.mark.parametrize(
    "group", [pytest.param(each, marks=[pytest.mark.slow] * (each % 2)) for each in range(GROUPS)]
)
def test_a_run_that_dies_again_and_again_comes_to_the_same_end(tmp_path, whole, group):
    wanted = points(whole(bounced)[1])[group::GROUPS]
    lives = dies(bounced(tmp_path), whole(bounced), wanted)
    assert len(lives) == len(wanted) + 1


def test_a_run_that_dies_while_candidates_work_comes_to_the_same_end(tmp_path, whole):
    dies(contested(tmp_path), whole(contested), of_candidates(whole(contested)[1])[::FEW])


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("share", range(SHARES))
def test_a_run_that_dies_once_comes_to_the_same_end(tmp_path, whole, share):
    named = [(bounced, point) for point in points(whole(bounced)[1])]
    named += [(contested, point) for point in of_candidates(whole(contested)[1])]
    for number, (made, point) in enumerate(named[share::SHARES]):
        dies(made(tmp_path / f"{number}"), whole(made), [point])
