"""The JSON API: all that the pages show and do, under `/api/v1`."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import HTMLResponse, PlainTextResponse
from pydantic import Field

from setpoint.app.people.edit_answer import answer_with_edit
from setpoint.app.people.gates import AnswerRequest, OpenGate, answer_gate, open_gate, open_gates
from setpoint.app.runs.launcher import RunTerms
from setpoint.app.runs.overlaps import cards_with_overlaps
from setpoint.app.views.check_outputs import CheckDetail, check_detail
from setpoint.app.views.export import run_report
from setpoint.app.views.metrics import metric_snapshots, metrics_report
from setpoint.app.views.run_page import diff_of
from setpoint.history.metrics.metrics import MetricsReport
from setpoint.history.metrics.snapshots import Snapshot
from setpoint.history.queries import RunSummary
from setpoint.model.events import Event
from setpoint.model.gate import MOST_GRANTED, MOST_GRANTED_S, MOST_GRANTED_USD, Answer, Choice, Via
from setpoint.model.ids import TraceId
from setpoint.model.stories.board import Card
from setpoint.model.value import Text, Usd, Value
from setpoint.web.access import Scope
from setpoint.web.request_context import Admin, Answerer, KnownRun, Reader, Sent, TheDesk, known_run, require
from setpoint.wiring.project import Project, find_run, run_list

router = APIRouter(prefix="/api/v1")
Days = Annotated[int, Query(ge=1, le=366)]


class AnswerBody(Sent):
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
    acceptance: Text = Field(default="", max_length=2000)
    """With `prove`: a command that fails without the change and passes with it; needs `admin`."""
    patch: Text = Field(default="", max_length=60_000)
    """A person's own change to the work, as a unified diff, that the run continues from; needs `admin`."""
    go: bool = False
    """Whether the dashboard continues the run at once; needs the scope `admin`."""


class RunRequest(RunTerms, Sent):
    """What a run is begun on."""

    wish: Text = Field(min_length=1, max_length=20_000)
    """The request, or the id of a story."""


class Reason(Sent):
    """Why a run is ended."""

    reason: Text = Field(default="", max_length=2000)


class Started(Value):
    """A command was started; its result is in the record."""

    started: str


@router.get("/runs")
def runs(
    desk: TheDesk,
    _visitor: Reader,
    most: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Annotated[str, Query(description="A run: the list continues with older runs.")] = "",
) -> list[RunSummary]:
    """Return the newest runs, newest first, or those that began before one."""
    return list(run_list(desk.project, most, known_run(before, desk) if before else ""))


@router.get("/runs/{which}")
def run(which: KnownRun, desk: TheDesk, _visitor: Reader) -> RunSummary:
    """Return one run; the beginning of its name is enough where no other begins so."""
    return find_run(desk.project, which)


@router.get("/runs/{which}/events")
def events(
    which: KnownRun,
    desk: TheDesk,
    _visitor: Reader,
    after: Annotated[int, Query(ge=0)] = 0,
    most: Annotated[int, Query(ge=1, le=5000)] = 1000,
) -> list[Event]:
    """Return a run's events in order, those after a place."""
    return list(desk.project.log.replay(TraceId(which), after, most=most))


@router.get("/runs/{which}/diff/{iteration}", response_class=PlainTextResponse)
def diff(
    which: KnownRun, iteration: Annotated[int, Path(ge=0, le=1000)], desk: TheDesk, _visitor: Reader
) -> str:
    """Return what an iteration changed as a unified diff; 0: all that is delivered or best."""
    return diff_of(desk.project, which, iteration)


@router.get("/runs/{which}/checks/{iteration}/{check}/output")
def output(
    which: KnownRun,
    iteration: Annotated[int, Path(ge=0, le=1000)],
    check: str,
    desk: TheDesk,
    _visitor: Reader,
) -> CheckDetail:
    """Return command, tree, exit code and raw output of a check, or of those of a gate; 0: at the base."""
    return check_detail(desk.project, which, check, iteration)


@router.get("/runs/{which}/report", response_class=HTMLResponse)
def report(which: KnownRun, desk: TheDesk, _visitor: Reader) -> str:
    """Return the report of a run as one page to keep or send."""
    return run_report(desk.project, TraceId(which))


@router.post("/runs", status_code=202)
async def begin(body: RunRequest, desk: TheDesk, _visitor: Admin) -> Started:
    """Begin a run."""
    desk.launcher.begin(body.wish, body)
    return Started(started=body.wish)


@router.post("/runs/{which}/resume", status_code=202)
async def resume(which: KnownRun, desk: TheDesk, _visitor: Admin) -> Started:
    """Continue an interrupted or answered run."""
    desk.launcher.go_on(TraceId(which))
    return Started(started=which)


@router.post("/runs/{which}/cancel", status_code=202)
async def cancel(which: KnownRun, body: Reason, desk: TheDesk, _visitor: Admin) -> Started:
    """End a run, whoever drives it."""
    desk.launcher.end(TraceId(which), body.reason)
    return Started(started=which)


@router.get("/gates")
def gates(desk: TheDesk, _visitor: Reader) -> list[OpenGate]:
    """Return every question that is open."""
    return list(open_gates(desk.project))


@router.post("/gates/{which}")
async def answer(which: KnownRun, body: AnswerBody, desk: TheDesk, visitor: Answerer) -> Answer:
    """Answer what a run asks; the first answer counts, whoever gives it."""
    if body.go or body.patch or body.acceptance:
        require(visitor, Scope.ADMIN)
    given = await asyncio.to_thread(answered, desk.project, which, body)
    if body.go:
        desk.launcher.go_on(TraceId(which))
    return given


def answered(project: Project, which: str, body: AnswerBody) -> Answer:
    """Record an answer that came by the web."""
    wanted = AnswerRequest(
        body.choice,
        iterations=body.iterations,
        cost_usd=Decimal(body.cost_usd) if body.cost_usd is not None else None,
        wall_s=body.wall_s,
        new_approach=body.new_approach,
        instruction=body.instruction,
        reason=body.reason,
        acceptance=body.acceptance,
    )
    opened = open_gate(project, which, body.gate)
    if body.patch.strip():
        return answer_with_edit(project, opened, wanted, body.patch, via=Via.WEB)
    return answer_gate(project, opened, wanted, via=Via.WEB)


@router.get("/stories")
def stories(desk: TheDesk, _visitor: Reader) -> list[Card]:
    """Return the board, what is most urgent first."""
    return list(cards_with_overlaps(desk.project))


@router.get("/metrics")
def metrics(desk: TheDesk, _visitor: Reader, days: Days = 7) -> MetricsReport:
    """Return every metric over the last so many days."""
    return metrics_report(desk.project, days)


@router.get("/metrics/snapshots")
def snapshots(desk: TheDesk, _visitor: Reader, days: Days = 7) -> list[Snapshot]:
    """Return the stored reports over so many days, newest first."""
    return list(metric_snapshots(desk.project, days))
