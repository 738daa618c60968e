"""Measure the work of a story together with all that has landed, as it will be merged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from setpoint.app.checks.attest import forget_order
from setpoint.app.checks.quarantine import quarantine_at
from setpoint.app.people.suppressions import active
from setpoint.checks.cache.eviction import trim
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.errors import UsageError
from setpoint.history.phrases import one_line
from setpoint.history.replay import history
from setpoint.model.ending import EXAMINED
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.landing import CombinationMeasured, Queued
from setpoint.model.events.run import RunStarted
from setpoint.model.facts.releases import released
from setpoint.model.ids import Commit, TraceId
from setpoint.model.proof import NOBODY, Proof, Vouched
from setpoint.model.run import Round, RunOrder
from setpoint.ports import Measured
from setpoint.settings import SETTINGS_VERSION
from setpoint.stories.policy.landing import Landing
from setpoint.system.git.git import tree_of
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks
from setpoint.workspace.work_copy import GitWorkspace

_MOST_RED = 20
_MOST_REASON = 400


class Gates(NamedTuple):
    """What a story asked for when its work passed, and what it passed."""

    order: RunOrder
    passed: Round | None
    """The iteration that was delivered; none where the record does not hold it."""
    examined: bool
    """Whether an exam was passed; otherwise a person accepted the work as it is."""

    @property
    def vouched(self) -> Vouched:
        """Return what others than the maker contributed to its proof."""
        return self.passed.proof.vouched if self.passed and self.passed.proof else NOBODY


def gates_of(project: Project, queued: Queued) -> Gates:
    """Read from the record of its run what delivered work had to pass."""
    events = project.log.replay(queued.run)
    first = events[0].body if events else None
    if not isinstance(first, RunStarted):
        raise UsageError(f"{queued.run}: nothing is recorded of how it began", hint="run the story again")
    past = history(events)
    number = past.outcome.best_iteration if past.outcome else 0
    passed = next((each for each in past.rounds if each.number == number), None)
    examined = past.outcome is not None and past.outcome.ending in EXAMINED
    return Gates(released(first.order, events), passed, examined)


async def measure(
    project: Project, landing: Landing, queued: Queued, commit: Commit, *, again: bool
) -> CombinationMeasured:
    """Measure a merge against what has landed: all that its story passed, and what those before it ask for.

    A second time nothing is taken from a cache.
    """
    own = gates_of(project, queued)
    others = [gates_of(project, landing.queued(each.story)) for each in landing.landed]
    order = _order(project, landing, own, others)
    workspace = GitWorkspace(project.folders)
    evaluator = ProjectEvaluator(project.settings, project.artifacts, project.folders)
    proof = None
    await asyncio.to_thread(forget_order, project.folders, order.trace_id)
    try:
        async with held_checks(project, project.settings):
            copy = await workspace.open(order.trace_id, order.base)
            await evaluator.prepare(order, copy)
            tree = await tree_of(project.root, commit)
            measured = Measured(copy, commit, tree, Stage.CONFIRM if again else Stage.TEST)
            now = await evaluator.evaluate(order, measured)
            red = tuple(_red(now, own))
            if not red:
                # Tests of those before it hold already: they must pass, and prove nothing of this change.
                theirs = [test for each in others for test in each.vouched.hidden]
                held = (test.model_copy(update={"reason": ""}) for test in theirs)
                told = own.vouched.model_copy(update={"hidden": (*own.vouched.hidden, *held)})
                proof = await evaluator.prove(order, measured, told)
                red = tuple(_unproved(proof, own, project))
    finally:
        await asyncio.to_thread(forget_order, project.folders, order.trace_id)
        await asyncio.to_thread(trim, project.state)
    return CombinationMeasured(
        landing=landing.name,
        story=queued.story,
        commit=commit,
        red=tuple(one_line(each, _MOST_REASON) for each in red[:_MOST_RED]),
        evaluation=now,
        proof=proof,
    )


def _order(project: Project, landing: Landing, own: Gates, others: list[Gates]) -> RunOrder:
    """Order what the story's run was ordered, from what has landed, with the commands of all of it."""
    now = datetime.now(UTC)
    asked = dict.fromkeys(
        [*own.order.story.acceptance, *(word for each in others for word in each.order.story.acceptance)]
    )
    return own.order.model_copy(
        update={
            "trace_id": TraceId(f"{landing.name}-{own.order.story.id}"),
            "base": landing.tip,
            "story": own.order.story.model_copy(update={"acceptance": tuple(asked)}),
            "proof": project.settings.proof,
            "weights": project.settings.weights,
            "settings": project.settings.model_dump_json(exclude={"agent", "database"}),
            "settings_version": SETTINGS_VERSION,
            "quarantine": tuple(each for each in quarantine_at(project, now) if each.active(now)),
            "suppressed": active(project),
            "started_at": now,
        }
    )


def _red(now: Evaluation, own: Gates) -> Iterator[str]:
    """Say what counts against a combination that did not count against the story alone."""
    before = own.passed.latest if own.passed else None
    failed = {each.test for each in before.failures} if before else set()
    found = {each.fingerprint for each in before.blocking} if before else set()
    yield from (f"{each.test}: {each.message}" for each in now.failures if each.test not in failed)
    for each in now.blocking:
        if each.fingerprint not in found:
            yield f"{each.source}: {each.message}{f' ({each.file}:{each.line})' if each.file else ''}"
    yield from (f"{each.check} broke: {each.reason}" for each in now.broken)


def _unproved(proof: Proof, own: Gates, project: Project) -> Iterator[str]:
    """Say what is not proved of a combination and was proved of the story alone."""
    known = own.passed.proof if own.passed else None
    before = {each.name for each in known.missing} if known else set()
    yield from (f"{each.name}: {each.reason}" for each in proof.missing if each.name not in before)
    if own.examined and not project.settings.proof.least.admits(proof.level):
        yield f"proof.least = '{project.settings.proof.least}' is not reached: {proof.by}"
