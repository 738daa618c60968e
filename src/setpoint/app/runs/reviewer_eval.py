"""`setpoint admin reviewers eval`: a reviewer judges trees of recorded runs again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from time import monotonic

from setpoint.errors import RecordedDataError, UsageError, WorkspaceError
from setpoint.history.queries import RunState
from setpoint.history.reviewer_evals import EvalRecord, TreeKey
from setpoint.history.reviewer_evals import ReplayedReview as ReplayedReview  # noqa: PLC0414 - what the faces show
from setpoint.history.reviewer_truth import ReviewedTree as ReviewedTree  # noqa: PLC0414 - as above
from setpoint.history.reviewer_truth import Truth
from setpoint.model.attempt import BreakageKind
from setpoint.model.facts.spending import added
from setpoint.model.value import Usd
from setpoint.phase.briefs import review_version, template_of
from setpoint.phase.review import Opinion
from setpoint.phase.review_replay import ask_again, review_phase
from setpoint.wiring.agents import agents_of
from setpoint.wiring.frozen_run import Allowed, frozen_run
from setpoint.wiring.project import Project, recorded_order, run_list
from setpoint.wiring.reviewing import evals_of, keep_replay, kept_replays, reviewing_of, trees_of

KINDS = ("code", "spec", "security", "product")
"""Kinds of review that come with Setpoint."""
MOST_BROKEN = 2
"""Times in a row that an agent may break before the eval ends."""
LEAST_LEFT_S = 5.0
"""Seconds below which no review is begun."""


@dataclass(frozen=True, kw_only=True)
class EvalPlan:
    """What is to be asked."""

    kind: str
    agent: str
    trees: tuple[ReviewedTree, ...]
    """Trees to judge, those of the newest runs first."""
    unknown: int
    """Trees that are left out, because nothing shows whether they were right."""
    runs: int
    """Finished runs that were looked at."""


@dataclass(frozen=True, kw_only=True)
class EvalLimits:
    """What an eval may use in all."""

    cost_usd: Usd
    """US dollars; 0 for no limit."""
    wall_s: float
    again: bool = False
    """Ask also about trees of which this reviewer's answer is recorded."""


@dataclass(kw_only=True)
class EvalCourse:
    """What an eval has done so far; it is there also when the eval was interrupted."""

    answered: int = 0
    known: int = 0
    """Trees of which this reviewer's answer was recorded before."""
    cost_usd: Decimal = Decimal(0)
    cost_known: bool = True
    skipped: dict[TreeKey, str] = field(default_factory=dict)
    """Why trees could not be replayed."""
    ended: str = ""
    """Why it ended before all trees were judged; empty if they were."""
    record: EvalRecord | None = None
    """How this reviewer did on all trees that it was ever asked about."""


Told = Callable[[ReviewedTree, ReplayedReview], None]


def plan_eval(project: Project, name: str, agent: str, runs: int, *, every: bool) -> EvalPlan:
    """Choose the trees; `name` is `KIND:AGENT`, an agent or a kind, and `agent` replaces the agent in it.

    Raises `UsageError` where that names no agent, and `NoUsableAgent` where there is none of that name.
    """
    finished = [each for each in run_list(project, runs) if each.state is RunState.FINISHED]
    trees = tuple(trees_of(project, [each.trace_id for each in finished]).values())
    kind, named = _named(project, name, {*KINDS, *(each.kind for each in trees)})
    named = agent or named
    if not named or named == "auto":
        raise UsageError(
            f"'{name}' names no agent", hint=f"name one: setpoint admin reviewers eval {kind}:AGENT"
        )
    agents_of(project).make(named)
    wanted = tuple(each for each in trees if each.kind == kind)
    chosen = wanted if every else tuple(each for each in wanted if each.truth is not Truth.UNKNOWN)
    unknown = len(wanted) - len(chosen)
    return EvalPlan(kind=kind, agent=named, trees=chosen, unknown=unknown, runs=len(finished))


def _named(project: Project, name: str, kinds: set[str]) -> tuple[str, str]:
    kind, _, agent = name.partition(":")
    settings = project.settings.agents
    if kind in kinds:
        return kind, agent or settings.reviewers.get(kind, settings.reviewer)
    return "code", name


def run_eval(project: Project, plan: EvalPlan, limits: EvalLimits, told: Told) -> tuple[EvalCourse, bool]:
    """Ask about each tree in turn and record each answer at once; returns also whether it was interrupted.

    Trees of which the answer of the same agent, version, model and prompt is recorded are not asked again.
    """
    course = EvalCourse()
    work = _Eval(project, plan, limits, course, told)
    try:
        asyncio.run(work.drive())
    except KeyboardInterrupt:
        course.record = work.record()
        return course, True
    return course, False


class _Eval:
    def __init__(
        self, project: Project, plan: EvalPlan, limits: EvalLimits, course: EvalCourse, told: Told
    ) -> None:
        self._project, self._plan, self._limits = project, plan, limits
        self._course, self._told = course, told
        self._agents = agents_of(project)
        self._model = self._agents.model(plan.agent)
        self._versions = self._prompts()
        kept = [each for each in kept_replays(project) if self._is_ours(each)]
        self._replays: list[ReplayedReview] = [] if limits.again else kept
        self._begun_s = monotonic()
        self._broken = 0

    async def drive(self) -> None:
        """Judge tree after tree until all are judged or a limit is reached."""
        self._course.known = sum(self._is_done(each) for each in self._plan.trees)
        while (
            tree := next((each for each in self._plan.trees if not self._is_done(each)), None)
        ) is not None:
            allowed = self._allowed()
            if allowed is None:
                break
            try:
                await self._judge(tree, allowed)
            except (WorkspaceError, RecordedDataError) as error:
                self._course.skipped[_key(tree)] = str(error)
            if self._broken >= MOST_BROKEN:
                break
        self._course.record = self.record()

    def _prompts(self) -> Mapping[TreeKey, str]:
        reviewing = reviewing_of(self._project, self._project.settings, self._agents)
        found: dict[TreeKey, str] = {}
        for tree in self._plan.trees:
            pipeline = recorded_order(self._project, tree.trace_id).pipeline
            template = template_of(review_phase(pipeline, tree.kind), tree.kind)
            found[_key(tree)] = review_version(reviewing, template)
        return found

    def _is_ours(self, replay: ReplayedReview) -> bool:
        asked = (replay.kind, replay.made_by.agent, replay.asked_model)
        return asked == (self._plan.kind, self._plan.agent, self._model)

    def _is_done(self, tree: ReviewedTree) -> bool:
        """Whether the answer of the reviewer is recorded, as far as its newest answer tells its version."""
        key = _key(tree)
        if key in self._course.skipped or not self._replays:
            return key in self._course.skipped
        newest = self._replays[-1].made_by.model_copy(update={"prompt": self._versions[key]})
        return any(each.tree == key and each.made_by == newest for each in self._replays)

    def _allowed(self) -> Allowed | None:
        """Return what the next review may use; none where a limit is reached."""
        left_s = self._limits.wall_s - (monotonic() - self._begun_s)
        if left_s < LEAST_LEFT_S:
            self._course.ended = "the time limit is reached (--max-minutes)"
            return None
        if not self._limits.cost_usd:
            return Allowed(None, left_s)
        left = self._limits.cost_usd - self._course.cost_usd
        if left <= 0:
            self._course.ended = f"the cost limit of ${self._limits.cost_usd} is reached (--max-cost)"
            return None
        return Allowed(left, left_s)

    async def _judge(self, tree: ReviewedTree, allowed: Allowed) -> None:
        agent = self._agents.make(self._plan.agent)
        try:
            begun_s = monotonic()
            async with frozen_run(self._project, tree, agent, allowed) as frozen:
                opinion = await ask_again(frozen.context, frozen.rounds, frozen.texts, tree.kind, agent)
        finally:
            await agent.close()
        self._spend(opinion)
        if opinion.verdict is None and opinion.breakage is not None:
            self._break(tree, opinion)
            return
        self._broken = 0
        replay = self._replay(tree, opinion, monotonic() - begun_s)
        keep_replay(self._project, replay)
        self._replays.append(replay)
        self._course.answered += 1
        self._told(tree, replay)

    def _spend(self, opinion: Opinion) -> None:
        usage = added(opinion.usages)
        self._course.cost_known = self._course.cost_known and cost_of(opinion) is not None
        self._course.cost_usd += usage.cost_usd or Decimal(0)

    def _break(self, tree: ReviewedTree, opinion: Opinion) -> None:
        """Leave a tree out whose reviewer broke: that says nothing of its judgement."""
        self._course.skipped[_key(tree)] = opinion.why
        self._broken += 1
        if opinion.breakage in (BreakageKind.MISSING, BreakageKind.AUTH):
            self._broken = MOST_BROKEN
        if self._broken >= MOST_BROKEN:
            self._course.ended = f"{self._plan.agent} broke: {opinion.why}"

    def _replay(self, tree: ReviewedTree, opinion: Opinion, duration_s: float) -> ReplayedReview:
        verdict = opinion.verdict
        return ReplayedReview(
            at=datetime.now(UTC),
            trace_id=tree.trace_id,
            iteration=tree.iteration,
            kind=tree.kind,
            made_by=opinion.made_by,
            asked_model=self._model,
            judgement=verdict.judgement if verdict else None,
            why=opinion.why,
            findings=verdict.blocking if verdict else (),
            unreadable=opinion.unreadable,
            cost_usd=cost_of(opinion),
            duration_s=round(duration_s, 3),
        )

    def record(self) -> EvalRecord | None:
        """Return how the reviewer did whose answer is the newest."""
        if not self._replays:
            return None
        wanted = (self._plan.kind, self._replays[-1].made_by)
        return next((each for each in evals_of(self._project) if (each.kind, each.made_by) == wanted), None)


def cost_of(opinion: Opinion) -> Usd | None:
    """Return the cost of a review in US dollars; none where it is not known."""
    usage = added(opinion.usages)
    if usage.scope == "none":
        return Decimal(0)
    return None if usage.at_least else usage.cost_usd


def _key(tree: ReviewedTree) -> TreeKey:
    return TreeKey(tree.trace_id, tree.iteration, tree.kind)
