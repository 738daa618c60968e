"""Answer a maker that ends its turn with a question in place of a change, once for each attempt."""

from __future__ import annotations

from setpoint.inner.recovery import goes_on
from setpoint.model.attempt import Attempt, Brief, Stop
from setpoint.model.events.live import QuestionAnswered
from setpoint.model.events.run import ToolExecuted
from setpoint.runs.context import RunContext

MOST_QUESTION = 500
_CHANGING = frozenset({"edit", "delete", "move"})


def question_of(text: str) -> str:
    """Return the last line of a text if it is a question; else empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1].rstrip("*_`\"') ") if lines else ""
    return last[-MOST_QUESTION:] if last.endswith("?") else ""


def answered_by_rule(run: RunContext, brief: Brief, iteration: int, attempt: Attempt, number: int) -> str:
    """Record a question and return the prompt that answers it; empty if there is none to answer.

    The work does not wait for a question that follows an edit. Nobody answers a
    second question of the same attempt, or one of an agent that keeps no session.
    """
    question = question_of(attempt.text)
    ended = attempt.breakage is None and attempt.stop is Stop.END_TURN
    if not (question and ended and goes_on(run.ports.agents[brief.role], brief)) or run.is_exhausted:
        return ""
    for event in run.journal.events:
        body = event.body
        asked = isinstance(body, QuestionAnswered)
        edited = isinstance(body, ToolExecuted) and body.call.kind in _CHANGING and body.call.ok is not False
        if (asked or edited) and getattr(body, "label", "") == brief.label:
            return ""
    told = QuestionAnswered(iteration=iteration, label=brief.label, attempt=number, question=question)
    run.journal.note(f"{brief.label}:{number}:question", told)
    return run.ports.render("answered.md.j2", {"question": question})
