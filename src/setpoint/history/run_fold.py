"""Fold a run forward, event by event, into the figures that every face shows.

The fold is the only place that computes them. It is stored with the run's row, so that a list of runs reads
no event, and a run under way has its cost there, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date
from decimal import Decimal
from typing import Any

from setpoint.history.run_figures import VERSION, Reached, RunFigures
from setpoint.model.attempt import Role
from setpoint.model.config.limits import Limits
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events import Body, Event
from setpoint.model.events.run import (
    AgentFinished,
    BaselineMeasured,
    CancelRequested,
    GateAnswered,
    GateOpened,
    IterationEvaluated,
    PhaseEntered,
    ReviewAnswered,
    ReviewCompleted,
    RunFinished,
    RunStarted,
)
from setpoint.model.facts.budget_account import BudgetAccount, granted, update
from setpoint.model.facts.spending import NOT_TOLD, amount
from setpoint.model.gate import Gate, GateKind
from setpoint.model.ids import Commit, GateId
from setpoint.model.quality import WEIGHTS
from setpoint.model.value import Usd, Value
from setpoint.model.verdict import Judgement
from setpoint.model.wording import counted, enumerated

_NOT_RUN = frozenset({"skipped", "deselected"})


class Measured(Value):
    """What is shown of one evaluation."""

    tests: str = ""
    failing: int = 0
    blocking: int = 0
    score: float | None = None
    of: tuple[str, ...] = ()
    """The metrics that the score rests on."""


class Reviewer(Value):
    """One reviewer of a change."""

    name: str
    wants: bool
    """Whether it wants a person to decide."""
    found: tuple[str, ...] = ()
    """Fingerprints of its findings."""


class RunFold(Value):
    """A run up to its newest event; `take` takes in the next one."""

    names: tuple[str, ...] = ()
    weights: dict[str, float] = WEIGHTS
    limits: Limits = Limits()
    maker: str = ""
    base: Commit = Commit("")
    account: BudgetAccount = BudgetAccount()
    days: dict[date, Usd] = {}
    phase: str = ""
    iteration: int = 0
    measured: dict[int, Measured] = {}
    """By iteration, the base as 0."""
    changes: dict[int, str] = {}
    objections: int = 0
    reviewers: dict[str, Reviewer] = {}
    """Who reviewed the newest change, by the kind of the review."""
    asked: dict[GateId, tuple[str, str]] = {}
    """Questions that are open: who asks, and what."""
    cancelled: bool = False
    over: bool = False
    verdict: str = ""
    best: int = 0
    """The iteration that was delivered or offered; the base as 0."""

    def take(self, event: Event) -> RunFold:
        """Return the fold after one more event of the run."""
        body, account = event.body, update(self.account, event)
        new: dict[str, object] = {"account": account}
        before = self.account
        if (account.parts, account.in_flight, account.answered) != (
            before.parts,
            before.in_flight,
            before.answered,
        ):
            spent, day = account.used.cost_usd - before.used.cost_usd, event.at.astimezone(UTC).date()
            new["days"] = {**self.days, day: self.days.get(day, Decimal(0)) + spent}
        number = getattr(body, "iteration", 0)
        if not self.over and number > self.iteration:
            new["iteration"] = number
        return self.model_copy(update=new | self._turned(body) | self._judged(body))

    def _turned(self, body: Body) -> dict[str, object]:
        new: dict[str, object] = {}
        match body:
            case RunStarted(order=order):
                new = {"limits": order.limits, "maker": order.agents.get(Role.MAKER, ""), "base": order.base}
                new |= {"weights": order.weights, "names": tuple(each.name for each in order.pipeline.phases)}
            case PhaseEntered(phase=phase):
                new = {"phase": phase}
            case GateOpened(gate=gate) if gate.id not in self.account.gates:
                new = {"asked": {**self.asked, gate.id: (self._asker(gate), gate.question)}}
            case GateAnswered(gate=name):
                new = {"asked": {each: told for each, told in self.asked.items() if each != name}}
            case CancelRequested():
                new = {"cancelled": True}
            case RunFinished(outcome=outcome):
                new = {"over": True, "verdict": outcome.line, "best": outcome.best_iteration}
                new["iteration"] = outcome.iterations
        return new

    def _judged(self, body: Body) -> dict[str, object]:
        new: dict[str, object] = {}
        match body:
            case AgentFinished(iteration=number):
                new = {"changes": {**self.changes, number: self._change(body)}, "reviewers": {}}
            case BaselineMeasured(evaluation=evaluation):
                new = {"measured": {**self.measured, 0: self._seen(evaluation)}}
            case IterationEvaluated(iteration=number, evaluation=evaluation):
                new = {"measured": {**self.measured, number: self._seen(evaluation)}, "objections": 0}
            case ReviewAnswered(review=review, verdict=verdict, made_by=made_by):
                reviewer = Reviewer(
                    name=made_by.agent or verdict.reviewer.rpartition(":")[2],
                    wants=verdict.judgement is Judgement.REQUIRE_HUMAN,
                    found=tuple(each.fingerprint for each in verdict.findings),
                )
                new = {"reviewers": {**self.reviewers, review: reviewer}}
            case ReviewCompleted(verdict=verdict):
                new = {"objections": len(verdict.blocking)}
        return new

    @property
    def figures(self) -> RunFigures:
        """What is shown of the run."""
        limits, used = granted(self.limits, self.account.grants), self.account.used
        open_ones = () if self.over or self.cancelled else self.asked.values()
        asker, asks = next(iter(open_ones), ("", ""))
        newest = max(self.measured, default=0)
        # Where the base is the best state, the newest one tells why.
        best = (self.best if self.over else 0) or newest
        seen = self.measured.get(best, Measured())
        kinds = ((seen.failing, "failing test"), (seen.blocking + self.objections, "finding"))
        alike = [self.measured[number] for number in sorted(self.measured) if number]
        cost = amount(used.cost_usd, known=used.known)
        most = f"{', limit' if cost == NOT_TOLD else ' of'} ${limits.max_cost_usd:.2f}"
        return RunFigures(
            verdict=self.verdict,
            cost=f"{cost}{most if limits.max_cost_usd else ''}",
            cost_usd=used.cost_usd if used.known else None,
            cost_by_day=self.days,
            tokens=used.tokens,
            iteration=self.iteration,
            most_iterations=limits.max_iterations,
            tests=seen.tests,
            open=" and ".join(counted(count, name) for count, name in kinds if count)
            or ("nothing open" if newest else ""),
            change=self.changes.get(self.best if self.over else max(self.changes, default=0), ""),
            score="" if seen.score is None else f"{seen.score:.2f} ({', '.join(seen.of)})",
            scores=tuple(each.score for each in alike if each.of == seen.of and each.score is not None),
            asker=asker,
            asks=asks,
            phase=self.phase,
            phases=self._phases(),
        )

    def _phases(self) -> tuple[tuple[str, Reached], ...]:
        names = self.names
        here = len(names) if self.over else names.index(self.phase) if self.phase in names else -1
        return tuple(
            (name, Reached.BEHIND if place < here else Reached.HERE if place == here else Reached.AHEAD)
            for place, name in enumerate(names)
        )

    def _seen(self, evaluation: Evaluation) -> Measured:
        failing, blocking = len(evaluation.failures), len(evaluation.blocking)
        score, of = evaluation.score_shown, evaluation.quality.weighed(self.weights)
        return Measured(tests=tests_line(evaluation), failing=failing, blocking=blocking, score=score, of=of)

    def _change(self, body: AgentFinished) -> str:
        if body.size is not None:
            return str(body.size)
        # Recorded by an earlier version: known only where the attempt began at the base.
        return str(body.snapshot.size) if body.snapshot.parent == self.base else ""

    def _asker(self, gate: Gate) -> str:
        if gate.kind is GateKind.REQUEST:
            return f"the maker {self.maker}".strip()
        if gate.guard:
            return f"the limit {gate.guard}"
        asking = (
            each.name
            for each in self.reviewers.values()
            if each.wants or not set(gate.objections).isdisjoint(each.found)
        )
        names = [*dict.fromkeys(asking)]
        return f"the reviewer {enumerated(names)}" if names else "Setpoint"


def fold(events: Iterable[Event], begun: RunFold | None = None) -> RunFold:
    """Return the fold after these events of one run."""
    folded = begun or RunFold()
    for event in events:
        folded = folded.take(event)
    return folded


def row_of(folded: RunFold) -> dict[str, Any]:
    """Return the columns of the run's row: its state, the figures, and the fold for the next event."""
    figures = folded.figures
    words: dict[str, object] = {"instruction": "", "reason": "", "edited": None, "acceptance": ""}
    answers = tuple((number, each.model_copy(update=words)) for number, each in folded.account.continued)
    kept = folded.model_copy(update={"account": replace(folded.account, continued=answers)})
    told = f'"figures":{figures.model_dump_json()},"fold":{kept.model_dump_json()}'
    return {
        "state": "finished" if folded.over else "waiting" if figures.asks else "running",
        "iterations": figures.iteration,
        "told": f'{{"version":{VERSION},{told}}}',
    }


def restored(told: str | None) -> RunFold | None:
    """Return the fold that a row holds; none where it holds none, or that of another version."""
    found = json.loads(told) if told else {}
    return RunFold.model_validate(found["fold"]) if found.get("version") == VERSION else None


def tests_line(evaluation: Evaluation) -> str:
    """Say how many tests pass or fail; a selection of them, which a round may run first, has no total."""
    failing, ran = len(evaluation.failures), 0
    if evaluation.stage is not Stage.EVALUATE or evaluation.quality.test_count:
        ran = sum(count for outcome, count in evaluation.test_counts.items() if outcome not in _NOT_RUN)
    known = f"; {len(evaluation.known_red)} known red" if evaluation.known_red else ""
    if failing:
        noun = counted(max(ran, failing), "test").partition(" ")[2]
        of = f"{failing} of {ran} {noun}" if ran >= failing else counted(failing, "test")
        return f"{of} {'fails' if failing == 1 else 'fail'}{known}"
    return f"{evaluation.test_counts.get('passed', 0)} of {counted(ran, 'test')}{known}" if ran else ""
