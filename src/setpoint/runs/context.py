"""The context of one run: its order, its adapters, its work copy, its record and its budget."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256

from setpoint.model.attempt import AttemptLimits
from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.run import IterationEvaluated
from setpoint.model.facts.budget_account import granted
from setpoint.model.facts.releases import released
from setpoint.model.facts.rounds import RunFacts
from setpoint.model.ids import Commit, Tree
from setpoint.model.run import ChangeSize, Round, RunOrder
from setpoint.ports import Measured, RunPorts, Toolbox, WorkCopy
from setpoint.runs.budget_reservation import BudgetReservation, Free
from setpoint.runs.journal import Journal
from setpoint.runs.policy.budget import Mark, attempt_limits, marks, used_up

_HUNK = re.compile(r"^(@@ .*|index [0-9a-f].*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """What the loops need to drive one run."""

    order: RunOrder
    ports: RunPorts
    copy: WorkCopy
    tools: Toolbox
    journal: Journal
    reservation: BudgetReservation = field(default_factory=BudgetReservation)
    """Money reserved for the attempts under way."""

    def past(self, base: Evaluation, rounds: tuple[Round, ...]) -> RunFacts:
        """Return the history that policies look at."""
        budget = self.journal.account
        used = budget.used
        answered = max((iteration for iteration, _ in budget.continued), default=0)
        return RunFacts(
            limits=self.limits,
            base=base,
            rounds=rounds,
            cost_usd=used.cost_usd,
            active_s=budget.active_s,
            elapsed_s=self.elapsed_s(),
            tokens=used.tokens,
            cost_known=used.known,
            shares=budget.shares,
            since=sum(1 for each in rounds if each.number <= answered),
            weights=self.order.weights,
            worth=self.order.halting,
            story=str(self.order.story.id),
        )

    @property
    def limits(self) -> Limits:
        """The limits of the order, with what people added to them since."""
        return granted(self.order.limits, self.journal.account.grants)

    def bounded(self, wanted: AttemptLimits) -> AttemptLimits:
        """Return what an attempt that begins now may use, at most the requested budget."""
        used = self.journal.account.used
        return attempt_limits(
            self.limits, wanted, used.cost_usd, self.active_s(), self.elapsed_s(), used.tokens
        )

    def free(self) -> Free:
        """Return the money that is left, and what is spent by attempts in flight."""
        used, limit = self.journal.account.used, self.limits.max_cost_usd
        return Free(limit - used.cost_usd if limit > 0 else None, used.flying)

    def warnings(self) -> tuple[Mark, ...]:
        """Return the budgets that are past a warning mark now."""
        used = self.journal.account.used
        return marks(self.limits, used.cost_usd, self.active_s(), used.tokens)

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing is left to pay a model with."""
        used = self.journal.account.used
        return used_up(self.limits, used.cost_usd, used.tokens)

    @property
    def judged_by(self) -> RunOrder:
        """The order, with the protected files that people released since."""
        return released(self.order, self.journal.events)

    def elapsed_s(self) -> float:
        """Return the seconds since the run was ordered, waiting included."""
        return (self.ports.clock.now() - self.order.started_at).total_seconds()

    def active_s(self) -> float:
        """Return the seconds the run has worked up to now."""
        events = self.journal.events
        since = (self.ports.clock.now() - events[-1].at).total_seconds() if events else 0.0
        account = self.journal.account
        return account.active_s + max(since - account.pause_s, 0.0)

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
            evaluation = await self.ports.evaluator.evaluate(self.judged_by, measured)
            return IterationEvaluated(iteration=iteration, evaluation=evaluation)

        return (await self.journal.step(key, act, IterationEvaluated)).evaluation


def change_hash(diff: str) -> str:
    """Return a hash of a change that is equal wherever in the file it is; empty for no change."""
    change = _HUNK.sub("", diff).strip()
    return sha256(change.encode()).hexdigest()[:16] if change else ""


def change_size(diff: str) -> ChangeSize:
    """Count the files, and the lines added and removed, of a change in unified form."""
    lines = diff.splitlines()
    files = sum(line.startswith("diff --git ") for line in lines)
    more, less = (
        sum(line.startswith(sign) and not line.startswith(sign * 3) for line in lines) for sign in "+-"
    )
    return ChangeSize(files=files, insertions=more, deletions=less)
