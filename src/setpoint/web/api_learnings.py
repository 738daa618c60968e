"""The JSON API of what was learnt: how it stands, and what a person thinks of it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query
from pydantic import BeforeValidator, Field

from setpoint import wiring
from setpoint.domain.learning import EvidenceKind, LearningKind, LearningStatus, Standing
from setpoint.domain.value import Text, Value
from setpoint.errors import UsageError
from setpoint.policies.uplift import Lift
from setpoint.web.context import Answerer, Reader, TheDesk

router = APIRouter(prefix="/api/v1")
VERDICTS = {
    "approve": EvidenceKind.APPROVED,
    "reject": EvidenceKind.REJECTED,
    "retire": EvidenceKind.RETIRED,
}
"""What a person may say of a learning, and as what it is recorded."""


def _chosen(value: object) -> object:
    """Take what a form sends for `any` as none."""
    return value or None


class LearningShown(Value):
    """A learning as it stands, with the interval that holds about four fifths of the belief in it."""

    standing: Standing
    low: float
    high: float


class Asked(Value):
    """Which learnings are asked for."""

    words: str = Field(default="", max_length=200)
    """Words that must all occur in it."""
    status: Annotated[LearningStatus | None, BeforeValidator(_chosen)] = None
    kind: Annotated[LearningKind | None, BeforeValidator(_chosen)] = None
    source: str = ""
    """For example `run:run-0m...`."""


class Thought(Value):
    """Why a learning is judged so."""

    reason: Text = Field(default="", max_length=2000)


class Merge(Value):
    """Which learning takes the place of another."""

    into: str = Field(min_length=1, max_length=100)
    """Its id, or the beginning."""


class FromSource(Value):
    """Where all that comes from it is to be taken out of use."""

    source: Text = Field(min_length=1, max_length=500)
    """For example `run:run-0m...` or `pack:team.jsonl`."""
    reason: Text = Field(default="", max_length=2000)


class Pair(Value):
    """Two learnings that may be one."""

    one: str
    other: str
    likeness: float
    """Share of their words that they have in common, from 0 to 1."""


def known_learning(which: str, desk: TheDesk) -> Standing:
    """Give the learning whose id begins so, or answer that there is none."""
    try:
        return wiring.learning(desk.project, which)
    except UsageError as error:
        raise HTTPException(404, error.message) from None


KnownLearning = Annotated[Standing, Depends(known_learning)]


@router.get("/learnings")
def learnings(desk: TheDesk, _visitor: Reader, asked: Annotated[Asked, Query()]) -> list[LearningShown]:
    """Give what was learnt, the most believed first."""
    return [shown(each) for each in narrowed(wiring.learnings(desk.project), asked)]


@router.get("/learnings/alike")
def alike(desk: TheDesk, _visitor: Reader) -> list[Pair]:
    """Name learnings that may be one, the likest first."""
    found = wiring.learnings_alike(desk.project)
    return [Pair(one=one, other=other, likeness=likeness) for one, other, likeness in found]


@router.get("/learnings/uplift")
def uplift(desk: TheDesk, _visitor: Reader) -> list[Lift]:
    """Give what being shown learnings is worth: runs with against runs held back by chance."""
    return list(wiring.uplift(desk.project))


@router.get("/learnings/{which}")
def learning(found: KnownLearning, _visitor: Reader) -> LearningShown:
    """Give one learning with all that speaks for and against it; the beginning of its id is enough."""
    return shown(found)


@router.post("/learnings/retire")
async def retire_from(body: FromSource, desk: TheDesk, _visitor: Answerer) -> list[LearningShown]:
    """Take all that comes from one source out of use."""
    gone = await asyncio.to_thread(wiring.retire_from, desk.project, body.source, body.reason)
    return [shown(await asyncio.to_thread(wiring.learning, desk.project, each.learning.id)) for each in gone]


@router.post("/learnings/{which}/approve")
async def approve(found: KnownLearning, body: Thought, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Believe a learning: it is shown to agents from now on."""
    return await _judged(desk.project, found, "approve", body.reason)


@router.post("/learnings/{which}/reject")
async def reject(found: KnownLearning, body: Thought, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Say that a learning is wrong: it is out of use, and not learnt anew."""
    return await _judged(desk.project, found, "reject", body.reason)


@router.post("/learnings/{which}/retire")
async def retire(found: KnownLearning, body: Thought, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Take a learning out of use."""
    return await _judged(desk.project, found, "retire", body.reason)


@router.post("/learnings/{which}/merge")
async def merge(found: KnownLearning, body: Merge, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Let another learning take the place of this one, with all that speaks for it; gives the other."""
    stays = await asyncio.to_thread(wiring.merge_learnings, desk.project, found.learning.id, body.into)
    return shown(stays)


def shown(found: Standing) -> LearningShown:
    """Put a learning into the shape of the API."""
    belief = found.confidence
    return LearningShown(standing=found, low=round(belief.low, 4), high=round(belief.high, 4))


def narrowed(found: tuple[Standing, ...], asked: Asked) -> list[Standing]:
    """Give the learnings that were asked for."""
    wanted = asked.words.casefold().split()
    return [
        each
        for each in found
        if asked.status in (None, each.status)
        and asked.kind in (None, each.learning.kind)
        and asked.source in ("", each.learning.source)
        and all(word in _text(each) for word in wanted)
    ]


async def _judged(project: wiring.Project, found: Standing, verdict: str, reason: str) -> LearningShown:
    kind = VERDICTS[verdict]
    return shown(await asyncio.to_thread(wiring.weigh_learning, project, found.learning.id, kind, reason))


def _text(found: Standing) -> str:
    known = found.learning
    return " ".join((known.id, known.title, known.body, known.context, *known.tags, known.source)).casefold()
