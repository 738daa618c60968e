"""How often each reviewer was right: what became of its blocking findings, counted from recorded runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from setpoint.model.events import Event
from setpoint.model.events.people import FindingDismissed
from setpoint.model.events.run import AgentFinished, ReviewAnswered
from setpoint.model.value import Value


class ReviewerRecord(Value):
    """What became of the blocking findings of one reviewer with one model."""

    reviewer: str
    """Kind and agent, for example `code:codex`."""
    model: str = ""
    """As far as it is known."""
    reviews: int = 0
    missing: int = 0
    """Reviews in which no reviewer gave an answer, so that they were made by rule."""
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

    @property
    def share(self) -> float | None:
        """Share of the decided blocking findings that were acted on or upheld; none without any."""
        right, wrong = self.acted_on + self.upheld, self.withdrawn + self.dismissed
        return right / (right + wrong) if right + wrong else None


def reviewer_records(runs: Iterable[Sequence[Event]]) -> tuple[ReviewerRecord, ...]:
    """Count for each reviewer and model, over the events of runs; the most reviews first."""
    counted: dict[tuple[str, str], dict[str, int]] = {}
    for events in runs:
        for who, field in _counts(events):
            tally = counted.setdefault(who, {})
            tally[field] = tally.get(field, 0) + 1
    records = [
        ReviewerRecord(reviewer=name, model=model, **tally) for (name, model), tally in counted.items()
    ]
    return tuple(sorted(records, key=lambda each: (-each.reviews, each.reviewer, each.model)))


def _counts(events: Sequence[Event]) -> Iterator[tuple[tuple[str, str], str]]:
    answers = [event.body for event in events if isinstance(event.body, ReviewAnswered)]
    dismissed = {event.body.finding for event in events if isinstance(event.body, FindingDismissed)}
    changed = [
        event.body.iteration
        for event in events
        if isinstance(event.body, AgentFinished) and not event.body.snapshot.empty
    ]
    for kind in dict.fromkeys(each.review for each in answers):
        of_kind = [each for each in answers if each.review == kind]
        settled = {
            each.fingerprint: "withdrawn" if each.withdrawn else "upheld"
            for answer in of_kind
            for each in answer.verdict.settled
        }
        raised: dict[str, tuple[ReviewAnswered, ReviewAnswered]] = {}
        for answer in of_kind:
            who = (answer.verdict.reviewer, answer.usage.model)
            yield who, "missing" if answer.verdict.missing else "reviews"
            for finding in answer.verdict.blocking:
                first, _ = raised.get(finding.fingerprint, (answer, answer))
                raised[finding.fingerprint] = (first, answer)
        for fingerprint, (first, last) in raised.items():
            who = (first.verdict.reviewer, first.usage.model)
            if fingerprint in dismissed:
                yield who, "dismissed"
            elif fingerprint in settled:
                yield who, settled[fingerprint]
            else:
                later = [
                    each for each in of_kind if each.iteration > last.iteration and not each.verdict.missing
                ]
                acted = later and any(last.iteration < each <= later[0].iteration for each in changed)
                yield who, "acted_on" if acted else "undecided"
