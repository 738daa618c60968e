"""Ask a role for a JSON object by schema, validate it, and ask once more if it does not fit.

The same for every kind of agent: one that reads text finds the schema in its prompt, one that answers by
schema finds it in its brief. An answer that still does not fit after the repair is rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from setpoint.inner.lenient_json import Piece, pieces, without_braces
from setpoint.inner.project_text import informed
from setpoint.inner.recovery import Recovering, in_session
from setpoint.inner.tool_calls import Place, lost_usages, watched
from setpoint.model.answers.role_answers import Shape, schema_of
from setpoint.model.attempt import Attempt, BreakageKind, Brief, Recovery, Stop, Usage
from setpoint.model.events.candidates import AnswerRejected
from setpoint.ports import Agent
from setpoint.runs.context import RunContext

S = TypeVar("S", bound=Shape)
T = TypeVar("T")
MOST_SHOWN = 6
"""Most validation errors that the repair prompt names."""
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
    waits: bool = True
    """Whether a limit of the model's provider is waited for; otherwise it ends the question."""


@dataclass(frozen=True, kw_only=True)
class Answered(Generic[T]):
    """Result of a question."""

    value: T | None
    """None if the agent broke, or its answer did not fit after the repair either."""
    why: str = ""
    """Why there is no answer."""
    breakage: BreakageKind | None = None
    """How the agent broke, where that is why."""
    wait_s: float | None = None
    """Seconds until a limit is lifted, where the agent is at one and its provider told."""
    usages: tuple[Usage, ...]
    """Cost of each try."""


async def ask_for(run: RunContext, agent: Agent, question: Question[T]) -> Answered[T]:
    """Ask until there is an answer: retry if the agent broke, once more if the answer does not fit."""
    # Count also what an earlier process paid for answers that were lost with it.
    usages: list[Usage] = list(lost_usages(run.journal.events, question.label))
    brief, repaired = question.brief, False
    place = Place(question.phase, question.iteration, question.label)
    recovering = Recovering(run=run, agent=agent, brief=question.brief, place=place, waits=question.waits)
    while True:
        asked = await informed(run, agent, in_session(brief, run.journal.events), place)
        attempt, _ = await watched(run, agent, asked, place)
        usages.append(attempt.usage)
        if attempt.breakage is not None:
            why = attempt.breakage.message
            if await recovering.after(attempt.breakage, len(usages)) is Recovery.END:
                kind, wait_s = attempt.breakage.kind, attempt.breakage.wait_s
                return Answered(value=None, why=why, breakage=kind, wait_s=wait_s, usages=tuple(usages))
            continue
        try:
            return Answered(value=question.read(attempt), usages=tuple(usages))
        except ValueError as error:
            why = f"the answer is not the JSON object that was asked for: {error}"
        again = not repaired and attempt.stop in _ENDED
        _reject(run, question, agent, len(usages), why, asked_again=again)
        if not again:
            spent = BreakageKind.BUDGET if run.is_exhausted else None
            return Answered(value=None, why=why, breakage=spent, usages=tuple(usages))
        repaired, brief = True, _repairing(run, question.brief, why)


def read_object(text: str, shape: type[S]) -> S:
    """Read the JSON object in an answer, whatever surrounds it; `ValueError` lists what does not fit."""
    return found_object(text, shape)[0]


def found_object(text: str, shape: type[S]) -> tuple[S, Piece]:
    """Read the JSON object in an answer, and return where it was found.

    Raises `ValueError` if none fits, if several that differ fit, and if something beside the one that fits
    looks like an answer too: a text that is quoted must not be taken for the answer.
    """
    found = list(pieces(text))
    fits, misfit = list[tuple[S, Piece]](), ""
    for piece in sorted(found, key=lambda each: each.start - each.end):
        read, why = _fitting(piece.value, shape)
        if read is not None:
            fits.append((read, piece))
        misfit = misfit or why
    if not fits:
        whole = without_braces(text)
        read, why = (None, "") if whole is None else _fitting(whole.value, shape)
        if whole is None or read is None:
            raise ValueError(misfit or why or "there is no JSON object in it that is whole")
        return read, whole
    if any(read != fits[0][0] for read, _ in fits):
        raise ValueError("several JSON objects in it fit and differ; send one")
    read, piece = fits[0]
    rest = text[: piece.start] + text[piece.end :] if len(fits) == 1 else ""
    if any(f'"{name}"' in rest for name in _required(shape)):
        raise ValueError("beside the JSON object that fits it holds a part of another one; send one")
    return read, piece


def _fitting(value: Any, shape: type[S]) -> tuple[S | None, str]:  # noqa: ANN401 - whatever an agent wrote
    """Read a value, the one element of a list, or the one object in another that has nothing of the shape."""
    try:
        return shape.model_validate(value), ""
    except ValidationError as error:
        why = _misfits(error)
    inner = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    nested = [each for each in inner if isinstance(each, dict)]
    foreign = not isinstance(value, dict) or not set(value) & set(shape.model_fields)
    if foreign and len(nested) == 1:
        return _fitting(nested[0], shape)
    return None, why


def _required(shape: type[Shape]) -> list[str]:
    return [name for name, field in shape.model_fields.items() if field.is_required()]


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
