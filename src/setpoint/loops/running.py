"""What a loop holds in its hands while it drives one run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256

from setpoint.domain.attempt import AttemptLimits
from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.events import IterationEvaluated
from setpoint.domain.ids import Commit, Tree
from setpoint.domain.run import Limits, Round, RunOrder
from setpoint.loops.journal import Journal
from setpoint.loops.purse import Free, Purse
from setpoint.policies.budget import (
    Mark,
    active_seconds,
    attempt_limits,
    continued,
    granted,
    grants,
    marks,
    shares,
    used_up,
)
from setpoint.policies.past import Past
from setpoint.policies.requests import released
from setpoint.policies.spending import account
from setpoint.ports import Measured, Toolbox, WorkCopy, World

_HUNK = re.compile(r"^(@@ .*|index [0-9a-f].*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Running:
    """A run in flight: its order, its neighbours, its work copy and its record."""

    order: RunOrder
    world: World
    copy: WorkCopy
    tools: Toolbox
    journal: Journal
    purse: Purse = field(default_factory=Purse)
    """What is set aside for the attempts under way."""

    def past(self, base: Evaluation, rounds: tuple[Round, ...]) -> Past:
        """Give the history that policies look at."""
        events = self.journal.events
        told = account(events)
        answered = max((iteration for iteration, _ in continued(events)), default=0)
        return Past(
            limits=self.limits,
            base=base,
            rounds=rounds,
            cost_usd=told.cost_usd,
            active_s=active_seconds(events),
            elapsed_s=self.elapsed_s(),
            tokens=told.tokens,
            shares=shares(events),
            since=sum(1 for each in rounds if each.number <= answered),
        )

    @property
    def limits(self) -> Limits:
        """The limits of the order, with what people added to them since."""
        return granted(self.order.limits, grants(self.journal.events))

    def bounded(self, wanted: AttemptLimits) -> AttemptLimits:
        """Give what an attempt may use that begins now, at most what is wanted."""
        told = account(self.journal.events)
        return attempt_limits(
            self.limits, wanted, told.cost_usd, self.active_s(), self.elapsed_s(), told.tokens
        )

    def free(self) -> Free:
        """Give the money that is left, and what is spent by attempts in flight."""
        told, limit = account(self.journal.events), self.limits.max_cost_usd
        return Free(limit - told.cost_usd if limit > 0 else None, told.flying)

    def marks(self) -> tuple[Mark, ...]:
        """Give the budgets that are past a warning mark now."""
        told = account(self.journal.events)
        return marks(self.limits, told.cost_usd, self.active_s(), told.tokens)

    @property
    def used_up(self) -> bool:
        """Whether nothing is left to pay a model with."""
        told = account(self.journal.events)
        return used_up(self.limits, told.cost_usd, told.tokens)

    @property
    def judged_by(self) -> RunOrder:
        """The order, with the protected files that people released since."""
        return released(self.order, self.journal.events)

    def elapsed_s(self) -> float:
        """Give the seconds since the run was ordered, waiting included."""
        return (self.world.clock.now() - self.order.started_at).total_seconds()

    def active_s(self) -> float:
        """Give the seconds the run has worked up to now."""
        events = self.journal.events
        since = (self.world.clock.now() - events[-1].at).total_seconds() if events else 0.0
        return active_seconds(events) + since

    async def measure(
        self,
        key: str,
        stage: Stage,
        tree: tuple[Commit, Tree],
        *,
        iteration: int,
        suspects: tuple[str, ...] = (),
    ) -> Evaluation:
        """Measure a commit, once per key; the evaluator checks it out, so nothing else there counts."""
        commit, content = tree

        async def act() -> IterationEvaluated:
            measured = Measured(self.copy, commit, content, stage, suspects)
            evaluation = await self.world.evaluator.evaluate(self.judged_by, measured)
            return IterationEvaluated(iteration=iteration, evaluation=evaluation)

        return (await self.journal.step(key, act, IterationEvaluated)).evaluation


def change_hash(diff: str) -> str:
    """Recognise the same change again, wherever in the file it stands; empty for no change."""
    change = _HUNK.sub("", diff).strip()
    return sha256(change.encode()).hexdigest()[:16] if change else ""
