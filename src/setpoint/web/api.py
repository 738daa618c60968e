"""The JSON API: all that the pages show and do, under `/api/v1`."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import HTMLResponse, PlainTextResponse
from pydantic import Field

from setpoint import wiring
from setpoint.domain.board import Card
from setpoint.domain.events import Event
from setpoint.domain.gate import MOST_GRANTED, MOST_GRANTED_S, MOST_GRANTED_USD, Answer, Choice, Via
from setpoint.domain.ids import TraceId
from setpoint.domain.value import Text, Usd, Value
from setpoint.events.metrics import MetricsReport
from setpoint.events.queries import RunSummary
from setpoint.events.snapshots import Snapshot
from setpoint.web.access import Scope
from setpoint.web.context import Admin, Answerer, KnownRun, Reader, TheDesk, known_run, require
from setpoint.wiring import OpenGate, Wanted

router = APIRouter(prefix="/api/v1")
Days = Annotated[int, Query(ge=1, le=366)]


class AnswerBody(Value):
    """What a person answers; what is left out is taken from the question's offer."""

    choice: Choice
    gate: Text = Field(default="", max_length=200)
    """The question that was read, by the name of its gate: refused where another one is open by now."""
    iterations: int | None = Field(default=None, ge=0, le=MOST_GRANTED)
    cost_usd: Usd | None = Field(default=None, ge=0, le=MOST_GRANTED_USD)
    wall_s: float | None = Field(default=None, ge=0, le=MOST_GRANTED_S)
    new_approach: bool = False
    instruction: Text = Field(default="", max_length=20_000)
    reason: Text = Field(default="", max_length=20_000)
    patch: Text = Field(default="", max_length=60_000)
    """A person's own change to the work, as a unified diff, that the run goes on from; needs `admin`."""
    go: bool = False
    """Whether the dashboard goes on with the run at once; needs the scope `admin`."""


class Wish(Value):
    """What a run is begun on."""

    wish: Text = Field(min_length=1, max_length=20_000)
    """What is wanted, or a story by its id."""


class Reason(Value):
    """Why a run is ended."""

    reason: Text = Field(default="", max_length=2000)


class Started(Value):
    """Something was started; what comes of it stands in the record."""

    started: str


@router.get("/runs")
def runs(
    desk: TheDesk,
    _visitor: Reader,
    most: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Annotated[str, Query(description="A run: the list goes on behind it.")] = "",
) -> list[RunSummary]:
    """Give the newest runs, newest first, or those that began before one."""
    return list(wiring.run_list(desk.project, most, known_run(before, desk) if before else ""))


@router.get("/runs/{which}")
def run(which: KnownRun, desk: TheDesk, _visitor: Reader) -> RunSummary:
    """Give one run; the beginning of its name is enough where no other begins so."""
    return wiring.find_run(desk.project, which)


@router.get("/runs/{which}/events")
def events(
    which: KnownRun,
    desk: TheDesk,
    _visitor: Reader,
    after: Annotated[int, Query(ge=0)] = 0,
    most: Annotated[int, Query(ge=1, le=5000)] = 1000,
) -> list[Event]:
    """Give a run's events in order, those after a place."""
    return list(desk.project.log.replay(TraceId(which), after, most=most))


@router.get("/runs/{which}/diff/{iteration}", response_class=PlainTextResponse)
def diff(
    which: KnownRun, iteration: Annotated[int, Path(ge=0, le=1000)], desk: TheDesk, _visitor: Reader
) -> str:
    """Give what an iteration changed as a unified diff; 0: all that is delivered or best."""
    return wiring.diff_of(desk.project, which, iteration)


@router.get("/runs/{which}/report", response_class=HTMLResponse)
def report(which: KnownRun, desk: TheDesk, _visitor: Reader) -> str:
    """Give the report of a run as one page to keep or send."""
    return wiring.run_report(desk.project, TraceId(which))


@router.post("/runs", status_code=202)
async def begin(body: Wish, desk: TheDesk, _visitor: Admin) -> Started:
    """Begin a run."""
    desk.launcher.begin(body.wish)
    return Started(started=body.wish)


@router.post("/runs/{which}/resume", status_code=202)
async def resume(which: KnownRun, desk: TheDesk, _visitor: Admin) -> Started:
    """Go on with a run that stands still."""
    desk.launcher.go_on(TraceId(which))
    return Started(started=which)


@router.post("/runs/{which}/cancel", status_code=202)
async def cancel(which: KnownRun, body: Reason, desk: TheDesk, _visitor: Admin) -> Started:
    """End a run, whoever drives it."""
    desk.launcher.end(TraceId(which), body.reason)
    return Started(started=which)


@router.get("/gates")
def gates(desk: TheDesk, _visitor: Reader) -> list[OpenGate]:
    """Give every question that is open."""
    return list(wiring.open_gates(desk.project))


@router.post("/gates/{which}")
async def answer(which: KnownRun, body: AnswerBody, desk: TheDesk, visitor: Answerer) -> Answer:
    """Answer what a run asks; the first answer counts, whoever gives it."""
    if body.go or body.patch:
        require(visitor, Scope.ADMIN)
    given = await asyncio.to_thread(answered, desk.project, which, body)
    if body.go:
        desk.launcher.go_on(TraceId(which))
    return given


def answered(project: wiring.Project, which: str, body: AnswerBody) -> Answer:
    """Record an answer that came by the web."""
    wanted = Wanted(
        body.choice,
        iterations=body.iterations,
        cost_usd=Decimal(body.cost_usd) if body.cost_usd is not None else None,
        wall_s=body.wall_s,
        new_approach=body.new_approach,
        instruction=body.instruction,
        reason=body.reason,
    )
    opened = wiring.open_gate(project, which, body.gate)
    if body.patch.strip():
        return wiring.answer_with_edit(project, opened, wanted, body.patch, via=Via.WEB)
    return wiring.answer(project, opened, wanted, via=Via.WEB)


@router.get("/stories")
def stories(desk: TheDesk, _visitor: Reader) -> list[Card]:
    """Give the board, what is most urgent first."""
    return list(wiring.cards(desk.project))


@router.get("/metrics")
def metrics(desk: TheDesk, _visitor: Reader, days: Days = 7) -> MetricsReport:
    """Give every metric over the last so many days."""
    return wiring.metrics(desk.project, days)


@router.get("/metrics/snapshots")
def snapshots(desk: TheDesk, _visitor: Reader, days: Days = 7) -> list[Snapshot]:
    """Give the stored reports over so many days, newest first."""
    return list(wiring.metric_snapshots(desk.project, days))
