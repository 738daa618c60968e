"""The page of one check in one iteration: its commands, and all that they printed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from fastapi.responses import PlainTextResponse, Response

from setpoint.app.views.check_outputs import check_detail
from setpoint.web.pages import page
from setpoint.web.request_context import KnownRun, Reader, TheDesk

router = APIRouter(include_in_schema=False)
Iteration = Annotated[int, Path(ge=0, le=1000)]
MOST_CHARS = 200_000
"""Characters of one output that the page shows: the last."""


@router.get("/runs/{which}/checks/{iteration}/{check:path}")
def check(
    which: KnownRun,
    iteration: Iteration,
    check: str,
    request: Request,
    desk: TheDesk,
    _visitor: Reader,
    whole: str = "",
) -> Response:
    """Show the outputs of a check; with `whole`, the id of a record, its output alone, as text."""
    detail = check_detail(desk.project, which, check, iteration)
    for each in detail.outputs:
        if whole and each.evidence.id == whole:
            return PlainTextResponse(each.output)
    return page(request, "check.html.j2", detail=detail, most=MOST_CHARS)
