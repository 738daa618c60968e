"""The JSON API of learnings: their status and the verdicts of people."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query
from pydantic import BeforeValidator, Field

from setpoint.app.people.learnings import (
    find_learning,
    judge_learning,
    list_learnings,
    merge_learnings,
    retire_learnings_from,
    similar_pairs,
)
from setpoint.errors import UsageError
from setpoint.model.learning import EvidenceKind, LearningKind, LearningState, LearningStatus
from setpoint.model.value import Text, Value
from setpoint.web.request_context import Answerer, Reader, Sent, TheDesk
from setpoint.wiring.project import Project

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
    """A learning with its status and the interval that contains about 80 % of the probability."""

    standing: LearningState
    low: float
    high: float


class LearningFilter(Sent):
    """Which learnings are asked for."""

    words: str = Field(default="", max_length=200)
    """Words that must all occur in it."""
    status: Annotated[LearningStatus | None, BeforeValidator(_chosen)] = None
    kind: Annotated[LearningKind | None, BeforeValidator(_chosen)] = None
    source: str = ""
    """For example `run:run-0m...`."""


class Judgement(Sent):
    """Why a learning is judged so."""

    reason: Text = Field(default="", max_length=2000)


class Merge(Sent):
    """Which learning takes the place of another."""

    into: str = Field(min_length=1, max_length=100)
    """Its id, or the beginning."""


class FromSource(Sent):
    """The source whose learnings are retired."""

    source: Text = Field(min_length=1, max_length=500)
    """For example `run:run-0m...` or `pack:team.jsonl`."""
    reason: Text = Field(default="", max_length=2000)


class Pair(Value):
    """Two learnings that may be one."""

    one: str
    other: str
    likeness: float
    """Share of their words that they have in common, from 0 to 1."""


def known_learning(which: str, desk: TheDesk) -> LearningState:
    """Return the learning whose id begins so, or answer that there is none."""
    try:
        return find_learning(desk.project, which)
    except UsageError as error:
        raise HTTPException(404, error.message) from None


KnownLearning = Annotated[LearningState, Depends(known_learning)]


@router.get("/learnings")
def learnings(
    desk: TheDesk, _visitor: Reader, asked: Annotated[LearningFilter, Query()]
) -> list[LearningShown]:
    """Return learnings, highest confidence first."""
    return [shown(each) for each in filtered(list_learnings(desk.project), asked)]


@router.get("/learnings/alike")
def alike(desk: TheDesk, _visitor: Reader) -> list[Pair]:
    """Return pairs of similar learnings, most similar first."""
    found = similar_pairs(desk.project)
    return [Pair(one=one, other=other, likeness=likeness) for one, other, likeness in found]


@router.get("/learnings/{which}")
def learning(found: KnownLearning, _visitor: Reader) -> LearningShown:
    """Return one learning with its evidence; a prefix of the id is enough."""
    return shown(found)


@router.post("/learnings/retire")
async def retire_from(body: FromSource, desk: TheDesk, _visitor: Answerer) -> list[LearningShown]:
    """Retire all learnings from one source."""
    gone = await asyncio.to_thread(retire_learnings_from, desk.project, body.source, body.reason)
    return [shown(await asyncio.to_thread(find_learning, desk.project, each.learning.id)) for each in gone]


@router.post("/learnings/{which}/approve")
async def approve(found: KnownLearning, body: Judgement, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Approve a learning; agents receive it from now on."""
    return await _judged(desk.project, found, "approve", body.reason)


@router.post("/learnings/{which}/reject")
async def reject(found: KnownLearning, body: Judgement, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Reject a learning as wrong; it is not used and not learned again."""
    return await _judged(desk.project, found, "reject", body.reason)


@router.post("/learnings/{which}/retire")
async def retire(found: KnownLearning, body: Judgement, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Retire a learning."""
    return await _judged(desk.project, found, "retire", body.reason)


@router.post("/learnings/{which}/merge")
async def merge(found: KnownLearning, body: Merge, desk: TheDesk, _visitor: Answerer) -> LearningShown:
    """Replace this learning by another, which takes over its evidence; return the other."""
    stays = await asyncio.to_thread(merge_learnings, desk.project, found.learning.id, body.into)
    return shown(stays)


def shown(found: LearningState) -> LearningShown:
    """Put a learning into the shape of the API."""
    belief = found.confidence
    return LearningShown(standing=found, low=round(belief.low, 4), high=round(belief.high, 4))


def filtered(found: tuple[LearningState, ...], asked: LearningFilter) -> list[LearningState]:
    """Return the learnings that were asked for."""
    wanted = asked.words.casefold().split()
    return [
        each
        for each in found
        if asked.status in (None, each.status)
        and asked.kind in (None, each.learning.kind)
        and asked.source in ("", each.learning.source)
        and all(word in _text(each) for word in wanted)
    ]


async def _judged(project: Project, found: LearningState, verdict: str, reason: str) -> LearningShown:
    kind = VERDICTS[verdict]
    return shown(await asyncio.to_thread(judge_learning, project, found.learning.id, kind, reason))


def _text(found: LearningState) -> str:
    known = found.learning
    return " ".join((known.id, known.title, known.body, known.context, *known.tags, known.source)).casefold()
