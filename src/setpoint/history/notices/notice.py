"""The text of a notice that a run asks or has ended."""

from __future__ import annotations

from datetime import UTC
from typing import Any

from setpoint.history.phrases import one_line
from setpoint.history.run_figures import RunFigures
from setpoint.model.changes.redaction import redacted
from setpoint.model.config.notice_target import NoticeKind
from setpoint.model.ending import Ending
from setpoint.model.events import Event
from setpoint.model.events.run import GateOpened, RunFinished
from setpoint.model.gate import Gate
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.model.value import Instant, Text, Value

MOST_LINES = 12
MOST_CHARS = 300
"""Of one line: texts of agents and tools are long at times."""


class Notice(Value):
    """What people receive about a run, without secrets and cut to a few lines."""

    kind: NoticeKind
    id: str
    """Names the event that it reports, the same in each try to deliver it."""
    at: Instant
    run: str
    """Empty where it is about a shift of workers."""
    repository: Text
    """Name of the folder of the repository."""
    title: Text
    """One line."""
    lines: tuple[Text, ...] = ()
    """What a person should know, and the command that comes next."""
    branch: Text = ""
    """Where the work lies; empty where none was delivered."""
    ending: str = ""
    """How the run ended; empty where it asks."""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def payload(self) -> dict[str, Any]:
        """Return what a webhook is sent."""
        return {
            "type": f"{'work' if self.kind is NoticeKind.REPORT else 'run'}.{self.kind}",
            "timestamp": self.at.astimezone(UTC).isoformat(),
            "data": self.model_dump(mode="json", exclude={"kind", "id", "at"}),
        }


def notice_of(event: Event, order: RunOrder, repository: str, told: RunFigures) -> Notice | None:
    """Return the notice about an event, with the figures after it; else none."""
    if isinstance(event.body, GateOpened):
        kind, lines, title = NoticeKind.ASKS, _asked(event.body.gate, order, told), "Setpoint asks"
        branch = ending = ""
    elif isinstance(event.body, RunFinished):
        outcome = event.body.outcome
        good = outcome.ending is Ending.VERIFIED
        kind = NoticeKind.VERIFIED if good else NoticeKind.STOPPED
        title = _title(outcome.ending)
        lines, branch, ending = _ended(outcome, told), outcome.branch, str(outcome.ending)
    else:
        return None
    return Notice(
        kind=kind,
        id=f"{order.trace_id}-{event.seq}",
        at=event.at,
        run=order.trace_id,
        repository=_said(repository),
        title=_said(f"{title}: {order.story.title}"),
        lines=tuple(map(_said, lines[:MOST_LINES])),
        branch=branch,
        ending=ending,
    )


def _asked(gate: Gate, order: RunOrder, told: RunFigures) -> list[str]:
    shown = [f"{told.asker}: {told.asks}", _figures(told), *gate.context[: MOST_LINES - 3]]
    return [*shown, f"answer with: setpoint answer show {order.trace_id}"]


def _title(ending: Ending) -> str:
    """Say in a few words how a run ended."""
    known = {Ending.VERIFIED: "Verified", Ending.SELF_TESTED: "Self-tested"}
    return known.get(ending, f"Not verified ({str(ending).replace('_', ' ')})")


def _ended(outcome: RunOutcome, told: RunFigures) -> list[str]:
    said = [told.verdict, _figures(told)]
    said += [f"branch: {outcome.branch}"] if outcome.branch else []
    return [*said, f"details: setpoint show {outcome.trace_id}"]


def _figures(told: RunFigures) -> str:
    rounds = f"iteration {told.iteration} of {told.most_iterations}"
    return ", ".join(filter(None, (told.tests, told.change, rounds, told.cost)))


def _said(text: str) -> str:
    return one_line(redacted(text), MOST_CHARS)
