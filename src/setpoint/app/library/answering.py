"""The answer of a program to the question of a waiting run."""

from __future__ import annotations

from decimal import Decimal
from typing import TypedDict

from pydantic import Field, ValidationError

from setpoint.app.library.results import Question
from setpoint.app.people.gates import AnswerRequest, answer_gate, open_gate
from setpoint.app.project.passphrase import refuse_programs
from setpoint.errors import UsageError
from setpoint.model.gate import MOST_GRANTED, MOST_GRANTED_S, MOST_GRANTED_USD, Choice, Via
from setpoint.model.value import Text, Usd, Value
from setpoint.wiring.project import Project


class AnswerOptions(TypedDict, total=False):
    """What an answer says beside the choice; figures that are left out are those of the question's offer."""

    iterations: int | None
    """Iterations that `continue` adds, at most 10."""
    cost_usd: Decimal | float | str | None
    """US dollars that `continue` adds."""
    minutes: float | None
    """Minutes of work that `continue` adds."""
    new_approach: bool
    """Restart from the best state with a fresh context; only with `continue`."""
    instruction: str
    """An instruction for the maker."""
    reason: str
    """Why, for the record."""
    acceptance: str
    """A command that fails without the change and passes with it; only with `prove`."""
    patch: str
    """A change of your own as a unified diff, that the run continues with."""


class _Reply(Value):
    choice: Choice
    iterations: int | None = Field(default=None, ge=0, le=MOST_GRANTED)
    cost_usd: Usd | None = Field(default=None, ge=0, le=MOST_GRANTED_USD)
    minutes: float | None = Field(default=None, ge=0, le=MOST_GRANTED_S / 60)
    new_approach: bool = False
    instruction: Text = ""
    reason: Text = ""
    acceptance: Text = ""
    patch: Text = ""


def record_answer(project: Project, question: Question, choice: Choice | str, options: AnswerOptions) -> None:
    """Record the answer to a question; `UsageError` where it does not fit, or another answer came first."""
    try:
        reply = _Reply.model_validate({**options, "choice": choice})
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        message = f"{question.run}: the answer's {key}: {first['msg'].lower()} (got {first['input']!r})"
        allowed = ", ".join(option.choice for option in question.options)
        hint = f"answer {allowed}; options are {', '.join(AnswerOptions.__annotations__)}"
        raise UsageError(message, hint=hint) from None
    refuse_programs(project.state)
    opened = open_gate(project, question.run, question.id)
    wanted = AnswerRequest(
        reply.choice,
        iterations=reply.iterations,
        cost_usd=reply.cost_usd,
        wall_s=None if reply.minutes is None else reply.minutes * 60,
        new_approach=reply.new_approach,
        instruction=reply.instruction,
        reason=reply.reason,
        acceptance=reply.acceptance,
    )
    if reply.patch.strip():
        from setpoint.app.people.edit_answer import answer_with_edit

        answer_with_edit(project, opened, wanted, reply.patch, via=Via.LIBRARY)
    else:
        answer_gate(project, opened, wanted, via=Via.LIBRARY)
