"""The first page: what needs a person, what runs, which runs are over, and the form that begins one."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from pydantic import Field

from setpoint.app.project.doctor import diagnose
from setpoint.app.runs.launcher import RunTerms
from setpoint.app.views.home import STATES, again, agent_names, found_runs, inbox, moments, spent
from setpoint.history.queries import RunFilter, RunState, counts
from setpoint.model.ending import Ending
from setpoint.model.ids import TraceId
from setpoint.web.api import RunRequest
from setpoint.web.live import SharedRoute
from setpoint.web.page_state import mark_of_runs
from setpoint.web.pages import page, said
from setpoint.web.request_context import Admin, Reader, Sent, TheDesk, known_run
from setpoint.wiring.project import counts_now, run_list

router = APIRouter(include_in_schema=False, route_class=SharedRoute)
LISTED = 50
"""Runs on a page of the list."""
BEGUN_S, LOOK_S = 20.0, 0.3
"""Seconds in which a run that was begun is recorded or refused, and between two looks."""


class Asked(Sent):
    """Which runs a page lists."""

    words: str = Field(default="", max_length=200)
    state: Literal["", *STATES] = ""  # type: ignore[valid-type] # mypy knows no star in a literal
    group: Literal["", "day", "story", "state"] = ""
    days: int | None = Field(default=None, ge=1, le=366)
    before: str = Field(default="", max_length=200)
    all: bool = False
    """Everything that needs a person, not the first of it alone."""
    again: str = Field(default="", max_length=200)
    """A run that the form is filled in from."""

    def query(self, **changed: str) -> str:
        """Return the part of the address that asks for it."""
        asked = {**self.model_dump(exclude_defaults=True, exclude={"again", "before"}), **changed}
        return "?" + urlencode(asked) if asked else ""


@router.get("/")
def runs(request: Request, desk: TheDesk, _visitor: Reader, asked: Annotated[Asked, Query()]) -> Response:
    """Show what needs a person, what runs, and the newest runs, or those that were asked for."""
    project, found = desk.project, inbox(desk.project, desk.signals)
    mark = mark_of_runs(desk, found)
    older = known_run(asked.before, desk) if asked.before else ""
    sought = RunFilter(words=asked.words.strip(), days=asked.days or 0, by_end=True)
    chosen = asked.words or asked.state
    over = "" if chosen or asked.days else RunState.FINISHED
    listed = found_runs(project, LISTED, older, sought, asked.state or over)
    wish, terms = again(project, TraceId(known_run(asked.again, desk))) if asked.again else ("", RunTerms())
    return page(
        request,
        "home.html.j2",
        mark=mark,
        inbox=found,
        moments=moments(project, found.running),
        counts=counts_now(project),
        total=sum(count for name, count in counts(project.store).items() if name in set(Ending)),
        runs=listed,
        spent=spent(project, asked.days) if asked.days and not chosen else "",
        last=listed[-1].trace_id if len(listed) == LISTED else "",
        asked=asked,
        states=STATES,
        failed=list(desk.launcher.failed),
        agents=agent_names(project),
        wish=wish,
        terms=terms,
    )


@router.get("/doctor")
def doctor(request: Request, desk: TheDesk, _visitor: Admin) -> Response:
    """Say what a run needs and what is missing."""
    return page(request, "doctor.html.j2", rows=diagnose(desk.project))


@router.post("/runs")
async def begin(
    request: Request, desk: TheDesk, _visitor: Admin, form: Annotated[RunRequest, Form()]
) -> Response:
    """Start a run for a request."""
    if not form.wish.strip():
        return said(request, "say what you want", bad=True)
    known = agent_names(desk.project)
    for agent in filter(None, (each.strip() for each in form.agent.split(","))):
        if not known.get(agent, True):
            return said(
                request, f"agent {agent} is not installed; hint: setpoint agents setup {agent}", bad=True
            )
    newest, begins = await asyncio.to_thread(run_list, desk.project, 1), time.monotonic()
    begun = desk.launcher.begin(form.wish.strip(), form)
    while not begun.done() and time.monotonic() < begins + BEGUN_S:
        if await asyncio.to_thread(run_list, desk.project, 1) != newest:
            break
        await asyncio.wait([begun], timeout=LOOK_S)
    if begun.done() and (failed := begun.result()):
        desk.launcher.failed.remove(failed)
        return said(request, failed.said, bad=True)
    return said(request, "the run begins; it is listed below")
