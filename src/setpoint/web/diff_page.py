"""The page of a change, and comments on its lines."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Path, Request
from fastapi.responses import Response

from setpoint.app.people.feedback import add_comment
from setpoint.app.views.change_facts import change_facts
from setpoint.app.views.run_page import Comment, changes_of, comments_of, diff_of, diff_so_far
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.ids import TraceId
from setpoint.web.api_feedback import Remark
from setpoint.web.colours import changed, coloured
from setpoint.web.diffs import ChangedFile, files_of, visible
from setpoint.web.pages import page
from setpoint.web.request_context import Answerer, KnownRun, Reader, TheDesk

router = APIRouter(include_in_schema=False)
_Leaf = tuple[int, ChangedFile, int]
Iteration = Annotated[int, Path(ge=0, le=1000)]


@router.get("/runs/{which}/diff/{iteration}")
def diff(
    which: KnownRun,
    iteration: Iteration,
    request: Request,
    desk: TheDesk,
    _visitor: Reader,
    view: Literal["", "beside"] = "",
    tests: Literal["", "hide"] = "",
) -> Response:
    """Show what an iteration changed, in one column or side by side, with what is known of its lines."""
    files, left_out = files_of(diff_of(desk.project, which, iteration))
    of_tests = [each for each in files if is_test_path(each.name)]
    if tests:
        files = [each for each in files if each not in of_tests]
    coloured(files)
    facts = change_facts(desk.project, TraceId(which), iteration)
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
        tests=tests,
        of_tests=len(of_tests),
        facts=facts,
        files=files,
        tree=_tree(files, Counter(file for file, _ in (*said, *(facts.notes if facts else ())))),
        left_out=left_out,
        comments=comments,
        said=said,
    )


def _tree(files: list[ChangedFile], badges: Counter[str]) -> list[tuple[str, list[_Leaf]]]:
    """Return files by folder, each with its place on the page and how many of its lines have remarks."""
    found: dict[str, list[_Leaf]] = defaultdict(list)
    for place, file in enumerate(files, start=1):
        found[file.name.rpartition("/")[0]].append((place, file, badges[file.name]))
    return sorted(found.items())


@router.get("/runs/{which}/so-far")
def so_far(which: KnownRun, request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Return what an agent that works has changed until now, for an open page."""
    return page(
        request, "so_far.html.j2", run=which, files=changed(partial(diff_so_far, desk.project, which))
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
