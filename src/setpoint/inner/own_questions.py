"""Have a maker's question answered that ends its turn in place of a change, once for each attempt."""

from __future__ import annotations

from typing import Literal

from setpoint.inner.recovery import agent_of, goes_on
from setpoint.inner.steering import hints_for, waited_for_person
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


async def answered(run: RunContext, brief: Brief, iteration: int, attempt: Attempt, number: int) -> str:
    """Ask the person about a question, else answer by rule; return the prompt, empty without a question.

    The work does not wait for a question that follows an edit. Nobody answers a
    second question of the same attempt, or one of an agent that keeps no session.
    """
    question = question_of(attempt.text)
    ended = attempt.breakage is None and attempt.stop is Stop.END_TURN
    if not (question and ended and goes_on(agent_of(run, brief), brief)) or run.is_exhausted:
        return ""
    for event in run.journal.events:
        body = event.body
        asked = isinstance(body, QuestionAnswered)
        edited = isinstance(body, ToolExecuted) and body.call.kind in _CHANGING and body.call.ok is not False
        if (asked or edited) and getattr(body, "label", "") == brief.label:
            return ""
    key = f"{brief.label}:{number}:person"
    person = await waited_for_person(run, key, attempt.agent, question) and bool(
        hints_for(run.journal.events, brief.label, iteration)
    )
    by: Literal["person", "rule"] = "person" if person else "rule"
    told = QuestionAnswered(iteration=iteration, label=brief.label, attempt=number, question=question, by=by)
    run.journal.note(f"{brief.label}:{number}:question", told)
    return run.ports.render("answered.md.j2", {"question": question, "person": person})
