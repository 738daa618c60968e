"""The page of a change, and comments on its lines."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import Response

from setpoint import wiring
from setpoint.domain.ids import TraceId
from setpoint.web.api_feedback import Remark
from setpoint.web.context import Answerer, KnownRun, Reader, TheDesk
from setpoint.web.diffs import files_of, visible
from setpoint.web.pages import page

router = APIRouter(include_in_schema=False)
Iteration = Annotated[int, Path(ge=0, le=1000)]


@router.get("/runs/{which}/diff/{iteration}")
def diff(
    which: KnownRun,
    iteration: Iteration,
    request: Request,
    desk: TheDesk,
    _visitor: Reader,
    view: Literal["", "beside"] = "",
) -> Response:
    """Show what an iteration changed, in one column or side by side, with what was said of its lines."""
    files, left_out = files_of(wiring.diff_of(desk.project, which, iteration))
    comments = wiring.comments_of(desk.project, TraceId(which))
    said: dict[tuple[str, int], list[wiring.Comment]] = defaultdict(list)
    for each in comments:
        if each.body.iteration != iteration:
            continue  # its number counts the lines of another text
        said[visible(each.body.file), each.body.line].append(each)
    return page(
        request,
        "diff.html.j2",
        run=which,
        iteration=iteration,
        numbers=wiring.changes_of(desk.project, TraceId(which)),
        beside=view == "beside",
        files=files,
        left_out=left_out,
        comments=comments,
        said=said,
    )


@router.get("/runs/{which}/diff/{iteration}/comments")
def comments(
    which: KnownRun, iteration: Iteration, request: Request, desk: TheDesk, _visitor: Reader
) -> Response:
    """Give what was said of a run's lines so far, for a page that is open."""
    found = wiring.comments_of(desk.project, TraceId(which))
    return page(request, "comments.html.j2", run=which, iteration=iteration, comments=found)


@router.post("/runs/{which}/comments")
async def comment(
    which: KnownRun,
    request: Request,
    desk: TheDesk,
    _visitor: Answerer,
    form: Annotated[Remark, Form()],
) -> Response:
    """Record what a person says of a line, and give it back as a row of the page."""
    place, words = f"{form.file}:{form.line}", form.text.replace("\r\n", "\n").strip()
    given = (desk.project, TraceId(which), place, words, form.iteration)
    recorded = await asyncio.to_thread(wiring.comment, *given)
    return page(request, "comment_row.html.j2", each=recorded)
