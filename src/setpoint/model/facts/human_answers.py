"""What people told a run in their answers: words for the maker, changes of their own, overruling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from setpoint.model.events import Event
from setpoint.model.events.run import AgentFinished, GateAnswered, GateOpened
from setpoint.model.gate import Answer, Choice, Edited, Via


def instructions(events: Sequence[Event]) -> tuple[str, ...]:
    """Return what people want the maker to heed, oldest first."""
    return tuple(_words(answer) for answer in _answers(events) if _words(answer))


def said(events: Sequence[Event]) -> tuple[tuple[str, str], ...]:
    """Return who told the maker what, oldest first; changes that people made themselves are no words."""
    return tuple((answer.by, answer.instruction) for answer in _answers(events) if answer.instruction)


def overridden(events: Sequence[Event]) -> bool:
    """Whether a person decided otherwise than the loop would have."""
    return any(
        answer.choice in (Choice.ACCEPT, Choice.APPROVE) or answer.instruction or answer.edited
        for answer in _answers(events)
    )


def acceptance_given(events: Sequence[Event]) -> tuple[str, ...]:
    """Return the acceptance commands that people named in their answers, oldest first, each once."""
    named = (answer.acceptance for answer in _answers(events) if answer.choice is Choice.PROVE)
    return tuple(dict.fromkeys(filter(None, named)))


def dismissed(events: Sequence[Event]) -> dict[str, str]:
    """Return the objections of reviewers that people found wrong, by fingerprint: who, and why."""
    opened = {each.body.gate.id: each.body.gate for each in events if isinstance(each.body, GateOpened)}
    return {
        objection: f"{event.body.answer.by}: {event.body.answer.reason}"
        for event in events
        if isinstance(event.body, GateAnswered) and event.body.answer.choice is Choice.DISMISS
        for objection in (opened[event.body.gate].objections if event.body.gate in opened else ())
    }


def edited_since(events: Sequence[Event]) -> Edited | None:
    """Return the change that a person made since the maker's last attempt; what follows begins from it."""
    for event in reversed(events):
        if isinstance(event.body, AgentFinished):
            return None
        if isinstance(event.body, GateAnswered) and event.body.answer.edited is not None:
            return event.body.answer.edited
    return None


def edited_files(events: Sequence[Event]) -> tuple[str, ...]:
    """Name the files that people changed in a run themselves."""
    found = (answer.edited.files for answer in _answers(events) if answer.edited is not None)
    return tuple(dict.fromkeys(path for files in found for path in files))


def _words(answer: Answer) -> str:
    if answer.edited is None:
        return answer.instruction
    own = (
        f"{answer.by} changed {', '.join(answer.edited.files)} by hand: build on it, and do not take it back."
    )
    return f"{own} {answer.instruction}".strip()


def _answers(events: Sequence[Event]) -> Iterator[Answer]:
    for event in events:
        if isinstance(event.body, GateAnswered) and event.body.answer.via is not Via.DEADLINE:
            yield event.body.answer
