"""How often each reviewer was right: what became of its blocking findings, counted from recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from setpoint.model.events import Event
from setpoint.model.events.people import FindingDismissed
from setpoint.model.events.run import AgentFinished, ReviewAnswered
from setpoint.model.value import Usd, Value
from setpoint.model.verdict import ReviewerVersion


class ReviewerRecord(Value):
    """What became of the blocking findings of one reviewer: an agent with its version, model and prompt."""

    reviewer: str
    """Kind and agent, for example `code:codex`."""
    version: str = ""
    """Of the agent; empty where it is not known."""
    model: str = ""
    """As far as it is known."""
    prompt: str = ""
    """Digest of the prompt's template; empty in runs of older versions of Setpoint."""
    reviews: int = 0
    missing: int = 0
    """Reviews in which no reviewer gave an answer, so that they were made by rule."""
    unreadable: int = 0
    """Answers that could not be read."""
    advised: int = 0
    """Requests for changes that counted as advice, because a rule did not let them block."""
    acted_on: int = 0
    """Blocking findings after which the work was changed and the finding was not raised again."""
    upheld: int = 0
    """Those that the maker declined and the reviewer upheld."""
    withdrawn: int = 0
    """Those that the reviewer withdrew."""
    dismissed: int = 0
    """Those that a person dismissed."""
    undecided: int = 0
    """Those of a last review, which nothing followed."""
    cost_usd: Usd | None = None
    """Cost of all its reviews in US dollars; none where that of one is not known."""

    @property
    def decided(self) -> int:
        """Number of blocking findings that were right or wrong."""
        return self.acted_on + self.upheld + self.withdrawn + self.dismissed

    @property
    def share(self) -> float | None:
        """Share of the decided blocking findings that were acted on or upheld; none without any."""
        return (self.acted_on + self.upheld) / self.decided if self.decided else None


class _Who(NamedTuple):
    """One reviewer: what made its reviews."""

    reviewer: str
    version: str
    model: str
    prompt: str


def reviewer_records(runs: Iterable[Sequence[Event]]) -> tuple[ReviewerRecord, ...]:
    """Count for each reviewer, over the events of runs; the most reviews first."""
    counted: dict[_Who, dict[str, int]] = {}
    costs: dict[_Who, list[Decimal | None]] = {}
    for events in runs:
        for who, field in _counts(events):
            tally = counted.setdefault(who, {})
            tally[field] = tally.get(field, 0) + 1
        for answer in _answers(events):
            costs.setdefault(_who(answer), []).append(_cost(answer))
    records = [
        ReviewerRecord.model_validate({**who._asdict(), **tally, "cost_usd": _total(costs.get(who, []))})
        for who, tally in counted.items()
    ]
    return tuple(sorted(records, key=lambda each: (-each.reviews, each.reviewer, each.model, each.prompt)))


def _who(answer: ReviewAnswered) -> _Who:
    made = answer.made_by
    return _Who(answer.verdict.reviewer, made.version, made.model or answer.usage.model, made.prompt)


def _unread(kind: str, made: ReviewerVersion) -> _Who:
    return _Who(f"{kind}:{made.agent}", made.version, made.model, made.prompt)


def _cost(answer: ReviewAnswered) -> Decimal | None:
    if answer.usage.scope == "none":
        return Decimal(0)
    return None if answer.usage.at_least else answer.usage.cost_usd


def _total(costs: Sequence[Decimal | None]) -> Decimal | None:
    known = [each for each in costs if each is not None]
    return sum(known, Decimal(0)) if known and len(known) == len(costs) else None


def _answers(events: Sequence[Event]) -> list[ReviewAnswered]:
    return [event.body for event in events if isinstance(event.body, ReviewAnswered)]


def _counts(events: Sequence[Event]) -> Iterator[tuple[_Who, str]]:
    answers = _answers(events)
    dismissed = {event.body.finding for event in events if isinstance(event.body, FindingDismissed)}
    changed = [
        event.body.iteration
        for event in events
        if isinstance(event.body, AgentFinished) and not event.body.snapshot.empty
    ]
    for kind in dict.fromkeys(each.review for each in answers):
        of_kind = [each for each in answers if each.review == kind]
        for answer in of_kind:
            yield _who(answer), "missing" if answer.verdict.missing else "reviews"
            yield from ((_unread(kind, each), "unreadable") for each in answer.unreadable)
            if answer.verdict.advice:
                yield _who(answer), "advised"
        yield from _outcomes(of_kind, dismissed, changed)


def _outcomes(
    of_kind: Sequence[ReviewAnswered], dismissed: set[str], changed: Sequence[int]
) -> Iterator[tuple[_Who, str]]:
    """Return what became of each blocking finding, for whoever raised it first."""
    settled = {
        each.fingerprint: "withdrawn" if each.withdrawn else "upheld"
        for answer in of_kind
        for each in answer.verdict.settled
    }
    raised: dict[str, tuple[ReviewAnswered, ReviewAnswered]] = {}
    for answer in of_kind:
        for finding in answer.verdict.blocking:
            first, _ = raised.get(finding.fingerprint, (answer, answer))
            raised[finding.fingerprint] = (first, answer)
    for fingerprint, (first, last) in raised.items():
        who = _who(first)
        if fingerprint in dismissed:
            yield who, "dismissed"
        elif fingerprint in settled:
            yield who, settled[fingerprint]
        else:
            later = [each for each in of_kind if each.iteration > last.iteration and not each.verdict.missing]
            acted = later and any(last.iteration < each <= later[0].iteration for each in changed)
            yield who, "acted_on" if acted else "undecided"
