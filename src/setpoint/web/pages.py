"""The pages of the dashboard and the actions of their forms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import Field

from setpoint.app.people.gates import open_gate, open_questions
from setpoint.app.people.steering import MOST_CHARS, continue_run, give_hint, pause_run
from setpoint.app.runs.overlaps import cards_with_overlaps
from setpoint.app.views.export import run_report
from setpoint.app.views.home import age, grouped, inbox, spent
from setpoint.app.views.metrics import metrics_exposition, metrics_report
from setpoint.app.views.night import shift_report
from setpoint.app.views.run_page import FILTERS, diff_of, place_of, run_story
from setpoint.errors import SetpointError
from setpoint.model.gate import MOST_GRANTED, MOST_GRANTED_S, MOST_GRANTED_USD, Choice
from setpoint.model.ids import TraceId
from setpoint.model.stories.story import Status
from setpoint.web.access import LOGINS, Scope
from setpoint.web.api import AnswerBody, answered
from setpoint.web.colours import changed
from setpoint.web.diffs import place_id, visible
from setpoint.web.live import MarkStream, SharedRoute
from setpoint.web.page_state import (
    failed_with,
    mark_of,
    mark_of_board,
    mark_of_gates,
)
from setpoint.web.request_context import (
    Admin,
    Answerer,
    KnownRun,
    Reader,
    RequestContext,
    Sent,
    TheDesk,
    current_visitor,
    require,
)

router = APIRouter(include_in_schema=False)
shown = APIRouter(include_in_schema=False, route_class=SharedRoute)
WINDOWS = (7, 30, 90)
MOST_EVENTS = 400
"""Events of a run that its page lists, the newest."""
_HERE = Path(__file__).parent
_PAGES = Environment(
    loader=FileSystemLoader((_HERE / "templates", _HERE / "templates" / "parts")),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    autoescape=True,
)
_PAGES.filters |= {
    **FILTERS,
    "age": age,
    "grouped": grouped,
    "visible": visible,
}
_PAGES.globals |= {"place": place_of, "place_id": place_id, "changed": changed}


class AnswerForm(Sent):
    """Fields of the form that answers a gate."""

    choice: Choice
    gate: str = Field(default="", max_length=200)
    iterations: int | None = Field(default=None, ge=0, le=MOST_GRANTED)
    cost_usd: Decimal | None = Field(default=None, ge=0, le=MOST_GRANTED_USD)
    minutes: float | None = Field(default=None, ge=0, le=MOST_GRANTED_S / 60)
    new_approach: bool = False
    instruction: str = Field(default="", max_length=20_000)
    reason: str = Field(default="", max_length=20_000)
    acceptance: str = Field(default="", max_length=2000)
    patch: str = Field(default="", max_length=60_000)
    go: bool = False


def page(request: Request, template: str, *, status: int = HTTPStatus.OK, **told: Any) -> HTMLResponse:  # noqa: ANN401 - the variables of a template
    """Render a page for a visitor."""
    visitor, desk = request.state.visitor, request.app.state.desk
    scope = visitor.scope if visitor else None
    text = _PAGES.get_template(template).render(
        path=request.url.path,
        csrf=visitor.csrf if visitor else "",
        may_answer=scope is not None and scope.includes(Scope.FEEDBACK),
        may_run=scope is not None and scope.includes(Scope.ADMIN),
        project=desk.project.root.name,
        look=partial(inbox, desk.project, desk.signals) if visitor else None,
        **told,
    )
    return HTMLResponse(text, status_code=status)


@shown.get("/runs/{which}")
def run(which: KnownRun, request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Show one run."""
    mark = mark_of(desk, which)
    story = run_story(desk.project, which)
    lines = [(event, *desk.told(event.body)) for event in story.events[-MOST_EVENTS:]]
    opened = open_gate(desk.project, which) if story.told.waiting else None
    return page(
        request,
        "run.html.j2",
        mark=mark,
        story=story,
        lines=lines,
        opened=opened,
        files=changed(partial(diff_of, desk.project, which, 0)) if story.told.rounds else [],
        hidden=len(story.events) - len(lines),
        busy=desk.launcher.busy_with(story.summary.trace_id),
        failed=failed_with(desk, story.summary.trace_id),
    )


@shown.get("/runs/{which}/report")
def report(which: KnownRun, desk: TheDesk, _visitor: Reader) -> Response:
    """Return the report of a run as one file to keep or send."""
    text = run_report(desk.project, TraceId(which))
    name = f'attachment; filename="{which}.html"'
    return HTMLResponse(text, headers={"content-disposition": name})


@shown.get("/gates")
def gates(request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Show every open gate."""
    asked = open_questions(desk.project)
    mark = mark_of_gates(asked)
    return page(request, "gates.html.j2", mark=mark, gates=asked.opened, unread=asked.unread)


@shown.get("/board")
def board(
    request: Request, desk: TheDesk, _visitor: Reader, words: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Show the stories by column, those that match some words where asked for."""
    every = cards_with_overlaps(desk.project)
    cards = [each for each in every if words.strip().lower() in f"{each.id} {each.title}".lower()]
    return page(
        request,
        "board.html.j2",
        mark=mark_of_board(every),
        cards=cards,
        columns={str(status): [each for each in cards if each.status is status] for status in Status},
        words=words,
        here="/board" + ("?" + urlencode({"words": words}) if words else ""),
    )


@shown.get("/board/night")
def night(request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Show the report of the last shift of workers."""
    return page(request, "night.html.j2", report=shift_report(desk.project))


@shown.get("/metrics")
def metrics(
    request: Request, desk: TheDesk, _visitor: Reader, days: Annotated[int, Query(ge=1, le=366)] = 7
) -> Response:
    """Show the metrics to a browser, and give them to a scraper in its own format."""
    if "text/html" not in request.headers.get("accept", ""):
        kind = "text/plain; version=0.0.4; charset=utf-8"
        return PlainTextResponse(metrics_exposition(desk.project), media_type=kind)
    made = metrics_report(desk.project, days)
    return page(request, "metrics.html.j2", report=made, windows=WINDOWS, spent=spent(desk.project, days))


@router.get("/live/{what}")
async def live(what: str, desk: TheDesk, _visitor: Reader) -> Response:
    """Stream the state of what a page shows: `runs`, `gates`, `board`, `learnings`, or a run."""
    return MarkStream(desk.feed, what, partial(mark_of, desk, what))


@router.post("/runs/{which}/resume")
async def resume(which: KnownRun, request: Request, desk: TheDesk, _visitor: Admin) -> Response:
    """Continue a run."""
    desk.launcher.go_on(TraceId(which))
    return said(request, f"{which} continues")


@router.post("/runs/{which}/cancel")
async def cancel(
    which: KnownRun,
    request: Request,
    desk: TheDesk,
    _visitor: Admin,
    reason: Annotated[str, Form(max_length=2000)] = "",
) -> Response:
    """Cancel a run."""
    desk.launcher.end(TraceId(which), reason)
    return said(request, f"{which} is being ended")


@router.post("/runs/{which}/hint")
async def hint(
    which: KnownRun,
    request: Request,
    desk: TheDesk,
    _visitor: Admin,
    text: Annotated[str, Form(max_length=MOST_CHARS)],
) -> Response:
    """Tell the agent of a run something."""
    return await _steered(request, "sent; it waits for the next prompt", give_hint, desk.project, which, text)


@router.post("/runs/{which}/pause")
async def pause(
    which: KnownRun,
    request: Request,
    desk: TheDesk,
    _visitor: Admin,
    end: Annotated[str, Form(max_length=10)] = "",
) -> Response:
    """Pause a run, or let it continue."""
    if end == "true":
        return await _steered(request, "the run continues", continue_run, desk.project, which)
    return await _steered(request, "the run holds before its next step", pause_run, desk.project, which)


async def _steered(request: Request, done: str, act: Callable[..., None], *given: object) -> Response:
    try:
        await asyncio.to_thread(act, *given)
    except SetpointError as error:
        return said(request, error.message, bad=True)
    return said(request, done)


@router.post("/gates/{which}")
async def answer(
    which: KnownRun,
    request: Request,
    desk: TheDesk,
    _visitor: Answerer,
    form: Annotated[AnswerForm, Form()],
) -> Response:
    """Answer a question."""
    patch = form.patch.replace("\r\n", "\n").strip("\n")  # browsers send every text so
    if patch.strip() or form.acceptance.strip():
        require(current_visitor(request), Scope.ADMIN)
    body = AnswerBody(
        choice=form.choice,
        gate=form.gate,
        iterations=form.iterations,
        cost_usd=form.cost_usd,
        wall_s=None if form.minutes is None else form.minutes * 60,
        new_approach=form.new_approach,
        instruction=form.instruction,
        reason=form.reason,
        acceptance=form.acceptance if form.choice is Choice.PROVE else "",
        patch=f"{patch}\n" if patch.strip() else "",
        go=form.go and current_visitor(request).scope.includes(Scope.ADMIN),
    )
    try:
        given = await asyncio.to_thread(answered, desk.project, which, body)
    except SetpointError as error:
        return said(request, error.message, bad=True)
    if body.go:
        desk.launcher.go_on(TraceId(which))
    after = "; the run continues" if body.go else f"; hint: setpoint resume {which}"
    return said(request, f"Your answer is recorded: {given.choice}{after}")


def said(request: Request, text: str, *, bad: bool = False) -> Response:
    """Return one sentence as the response to a form."""
    return page(request, "message.html.j2", text=text, bad=bad)


@router.get("/login")
def login(request: Request, desk: TheDesk, ticket: str = "") -> Response:
    """Log a browser in by a one-time link, or ask for a token."""
    scope = desk.access.redeem(ticket) if ticket else None
    if scope in LOGINS:
        return _let_in(request, desk, scope)
    return page(request, "login.html.j2", wrong=bool(ticket), status=HTTPStatus.OK)


@router.post("/login")
async def by_token(request: Request, desk: TheDesk, token: Annotated[str, Form(max_length=200)]) -> Response:
    """Log a browser in by a token."""
    visitor = desk.access.by_token(token.strip())
    if visitor is None or visitor.scope not in LOGINS:
        return page(request, "login.html.j2", wrong=True, status=HTTPStatus.FORBIDDEN)
    return _let_in(request, desk, visitor.scope)


@router.post("/logout")
async def logout(desk: TheDesk, _visitor: Reader) -> Response:
    """Log a browser out."""
    answer = Response(headers={"hx-redirect": "/login"})
    answer.delete_cookie(desk.access.cookie)
    return answer


def _let_in(request: Request, desk: RequestContext, scope: Scope) -> Response:
    # A page of our own leads on: a redirect may still count as coming from where the link was clicked, and
    # then a browser does not send a strict cookie along.
    answer = page(request, "entered.html.j2")
    # Without an age browsers keep it in memory and not in a file that an agent can read.
    answer.set_cookie(desk.access.cookie, desk.access.session(scope), httponly=True, samesite="strict")
    return answer


@router.get("/favicon.ico")
def favicon() -> Response:
    """Return the icon of the project."""
    return RedirectResponse("/static/sign.svg")
