"""The page of a change, and comments on its lines."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import Response

from setpoint.app.people.feedback import add_comment
from setpoint.app.views.run_page import Comment, changes_of, comments_of, diff_of
from setpoint.model.ids import TraceId
from setpoint.web.api_feedback import Remark
from setpoint.web.diffs import files_of, visible
from setpoint.web.pages import page
from setpoint.web.request_context import Answerer, KnownRun, Reader, TheDesk

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
    """Show what an iteration changed, in one column or side by side, with the comments on its lines."""
    files, left_out = files_of(diff_of(desk.project, which, iteration))
    comments = comments_of(desk.project, TraceId(which))
    said: dict[tuple[str, int], list[Comment]] = defaultdict(list)
    for each in comments:
        if each.body.iteration != iteration:
            continue  # its number counts the lines of another text
        said[visible(each.body.file), each.body.line].append(each)
    return page(
        request,
        "diff.html.j2",
        run=which,
        iteration=iteration,
        numbers=changes_of(desk.project, TraceId(which)),
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
    """Return the comments on a run's lines, for an open page."""
    found = comments_of(desk.project, TraceId(which))
    return page(request, "comments.html.j2", run=which, iteration=iteration, comments=found)


@router.post("/runs/{which}/comments")
async def comment(
    which: KnownRun,
    request: Request,
    desk: TheDesk,
    _visitor: Answerer,
    form: Annotated[Remark, Form()],
) -> Response:
    """Record a comment on a line, and return it as a row of the page."""
    place, words = f"{form.file}:{form.line}", form.text.replace("\r\n", "\n").strip()
    given = (desk.project, TraceId(which), place, words, form.iteration)
    recorded = await asyncio.to_thread(add_comment, *given)
    return page(request, "comment_row.html.j2", each=recorded)
