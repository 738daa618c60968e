"""The pages of learnings and the verdicts of people."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Path, Query, Request
from fastapi.responses import Response

from setpoint.app.people.learnings import (
    judge_learning,
    learnings_from,
    list_learnings,
    merge_learnings,
    retire_learnings_from,
    similar_learnings,
    similar_pairs,
)
from setpoint.errors import SetpointError
from setpoint.model.learning import LearningKind, LearningStatus
from setpoint.web.api_learnings import VERDICTS, KnownLearning, LearningFilter, filtered
from setpoint.web.live import SharedRoute
from setpoint.web.page_state import mark_of
from setpoint.web.pages import page, said
from setpoint.web.request_context import Answerer, Reader, TheDesk

router = APIRouter(include_in_schema=False, route_class=SharedRoute)
MOST_LISTED = 200
MOST_PAIRS = 50
"""Pairs of like learnings that are shown."""


def _mark(desk: TheDesk) -> str:
    return mark_of(desk, "learnings")


MarkBefore = Annotated[str, Depends(_mark)]
"""Taken before what a later argument of the same route reads."""


@router.get("/learnings")
def learnings(
    request: Request, desk: TheDesk, _visitor: Reader, asked: Annotated[LearningFilter, Query()]
) -> Response:
    """Show learnings, highest confidence first."""
    mark = mark_of(desk, "learnings")
    every = list_learnings(desk.project)
    query = f"?{request.url.query}" if request.url.query else ""
    return page(
        request,
        "learnings.html.j2",
        mark=mark,
        found=filtered(every, asked),
        total=len(every),
        asked=asked,
        statuses=list(LearningStatus),
        kinds=list(LearningKind),
        here=f"/learnings{query}",
        most=MOST_LISTED,
    )


@router.get("/learnings/alike")
def alike(request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Show learnings that may say the same."""
    known = {each.learning.id: each for each in list_learnings(desk.project)}
    pairs = [(known[one], known[other], likeness) for one, other, likeness in similar_pairs(desk.project)]
    return page(request, "alike.html.j2", pairs=pairs[:MOST_PAIRS])


@router.get("/learnings/{which}")
def learning(
    mark: MarkBefore, found: KnownLearning, request: Request, desk: TheDesk, _visitor: Reader
) -> Response:
    """Show one learning with its evidence."""
    in_use = learnings_from(desk.project, found.learning.source)
    likely = similar_learnings(desk.project, found)
    return page(request, "learning.html.j2", mark=mark, found=found, likely=likely, same=len(in_use))


@router.post("/learnings/retire")
async def retire_from(
    request: Request,
    desk: TheDesk,
    _visitor: Answerer,
    source: Annotated[str, Form(min_length=1, max_length=500)],
    reason: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Retire all learnings from one source."""
    try:
        gone = await asyncio.to_thread(retire_learnings_from, desk.project, source, reason.strip())
    except SetpointError as error:
        return said(request, error.message, bad=True)
    return said(request, f"{len(gone)} retired")


@router.post("/learnings/{which}/merge")
async def merge(
    found: KnownLearning,
    request: Request,
    desk: TheDesk,
    _visitor: Answerer,
    into: Annotated[str, Form(max_length=100)] = "",
    other: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Let another learning take the place of this one; an id that was typed counts before a chosen one."""
    named = other.strip() or into
    if not named:
        return said(request, "choose one, or name it by its id", bad=True)
    try:
        stays = await asyncio.to_thread(merge_learnings, desk.project, found.learning.id, named)
    except SetpointError as error:
        return said(request, error.message, bad=True)
    return said(request, f"{stays.learning.id} takes its place")


@router.post("/learnings/{which}/{verdict}")
async def judge(
    found: KnownLearning,
    verdict: Annotated[Literal["approve", "reject", "retire"], Path()],
    request: Request,
    desk: TheDesk,
    _visitor: Answerer,
    reason: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Record what a person thinks of a learning."""
    kind = VERDICTS[verdict]
    now = await asyncio.to_thread(judge_learning, desk.project, found.learning.id, kind, reason.strip())
    return said(request, f"{kind}: it is {now.status}, believed {now.confidence.mean:.2f}")
