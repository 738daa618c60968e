"""Ask a role for a JSON object by schema, validate it, and ask once more if it does not fit.

The same for every kind of agent: one that reads text finds the schema in its prompt, one that answers by
schema finds it in its brief. An answer that still does not fit after the repair is rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import ValidationError

from setpoint.inner.recovery import Recovering, in_session
from setpoint.inner.tool_calls import Place, lost_usages, watched
from setpoint.model.answers.role_answers import Shape, schema_of
from setpoint.model.attempt import Attempt, Brief, Recovery, Stop, Usage
from setpoint.model.events.candidates import AnswerRejected
from setpoint.ports import Agent
from setpoint.runs.context import RunContext

S = TypeVar("S", bound=Shape)
T = TypeVar("T")
MOST_SHOWN = 6
"""Most validation errors that the repair prompt names."""
_FENCED = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)
_ENDED = (Stop.END_TURN, Stop.MAX_TOKENS)
"""Stop reasons after which a repair prompt may help."""


@dataclass(frozen=True, kw_only=True)
class Question(Generic[T]):
    """A question to a role."""

    phase: str
    iteration: int
    label: str
    """Name of the question within the run."""
    brief: Brief
    read: Callable[[Attempt], T]
    """Parses the answer of an attempt; raises `ValueError` if it does not fit."""


@dataclass(frozen=True, kw_only=True)
class Answered(Generic[T]):
    """Result of a question."""

    value: T | None
    """None if the agent broke, or its answer did not fit after the repair either."""
    why: str = ""
    """Why there is no answer."""
    usages: tuple[Usage, ...]
    """Cost of each try."""


async def ask_for(run: RunContext, agent: Agent, question: Question[T]) -> Answered[T]:
    """Ask until there is an answer: retry if the agent broke, once more if the answer does not fit."""
    # Count also what an earlier process paid for answers that were lost with it.
    usages: list[Usage] = list(lost_usages(run.journal.events, question.label))
    brief, repaired = question.brief, False
    place = Place(question.phase, question.iteration, question.label)
    recovering = Recovering(run=run, agent=agent, brief=question.brief, place=place)
    while True:
        attempt, _ = await watched(run, agent, in_session(brief, run.journal.events), place)
        usages.append(attempt.usage)
        if attempt.breakage is not None:
            why = attempt.breakage.message
            if await recovering.after(attempt.breakage, len(usages)) is Recovery.END:
                return Answered(value=None, why=why, usages=tuple(usages))
            continue
        try:
            return Answered(value=question.read(attempt), usages=tuple(usages))
        except ValueError as error:
            why = f"the answer is not the JSON object that was asked for: {error}"
        again = not repaired and attempt.stop in _ENDED
        _reject(run, question, agent, len(usages), why, asked_again=again)
        if not again:
            return Answered(value=None, why=why, usages=tuple(usages))
        repaired, brief = True, _repairing(run, question.brief, why)


def read_object(text: str, shape: type[S]) -> S:
    """Read the JSON object in an answer; `ValueError` lists what does not fit."""
    fenced = _FENCED.search(text)
    found = fenced.group(1) if fenced else text[text.find("{") : text.rfind("}") + 1]
    if not found:
        raise ValueError("there is no JSON object in it")
    try:
        answer = json.loads(found)
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error}") from None
    except RecursionError:
        raise ValueError("its JSON is nested too deeply to be read") from None
    try:
        return shape.model_validate(answer)
    except ValidationError as error:
        raise ValueError(_misfits(error)) from None


def _misfits(error: ValidationError) -> str:
    told = [
        f"{'.'.join(str(part) for part in each['loc']) or 'the object'}: {each['msg']}"
        for each in error.errors()
    ]
    more = f"; and {len(told) - MOST_SHOWN} more" if len(told) > MOST_SHOWN else ""
    return "; ".join(told[:MOST_SHOWN]) + more


def _repairing(run: RunContext, brief: Brief, why: str) -> Brief:
    schema = schema_of(brief.answer) if brief.answer is not None else ""
    prompt = run.ports.render("repair.md.j2", {"why": why, "schema": schema})
    return brief.model_copy(update={"prompt": prompt})


def _reject(
    run: RunContext, question: Question[T], agent: Agent, number: int, why: str, *, asked_again: bool
) -> None:
    body = AnswerRejected(
        phase=question.phase,
        iteration=question.iteration,
        label=question.label,
        agent=agent.name,
        reason=why[:2000],
        asked_again=asked_again,
    )
    run.journal.note(f"{question.label}:{number}:rejected", body)
