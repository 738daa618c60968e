"""Production: deployments, problems, suspected changes, and decisions of people."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import Response
from pydantic import Field

from setpoint.app.production.signals import decide_problem
from setpoint.app.views.production import (
    ProblemView,
    ProductionView,
    SignalView,
    problem_view,
    production_view,
    signal_view,
)
from setpoint.errors import SetpointError, UsageError
from setpoint.model.value import Text
from setpoint.web.live import SharedRoute
from setpoint.web.page_state import mark_of
from setpoint.web.pages import page, said
from setpoint.web.request_context import Answerer, Reader, RequestContext, Sent, TheDesk

router = APIRouter(include_in_schema=False, route_class=SharedRoute)
api = APIRouter(prefix="/api/v1/production")
MOST_REASON = 2000


class Decision(Sent):
    """Why a person decides so."""

    reason: Text = Field(default="", max_length=MOST_REASON)


def known_problem(which: str, desk: TheDesk) -> str:
    """Return the fingerprint of a problem, or answer that there is none."""
    try:
        return problem_view(desk.signals, which).fingerprint
    except UsageError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, error.message) from None


KnownProblem = Annotated[str, Depends(known_problem)]
Reason = Annotated[str, Form(max_length=MOST_REASON)]


@api.get("")
def production(desk: TheDesk, _visitor: Reader) -> ProductionView:
    """Return deployments and problems, most recent first."""
    return production_view(desk.signals)


@api.get("/problems/{which}")
def problem(which: KnownProblem, desk: TheDesk, _visitor: Reader) -> ProblemView:
    """Return one problem by its fingerprint, a signal or its story."""
    return problem_view(desk.signals, which)


@api.get("/signals/{which}")
def signal(which: str, desk: TheDesk, _visitor: Reader) -> SignalView:
    """Return one signal by its name."""
    try:
        return signal_view(desk.signals, which)
    except UsageError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, error.message) from None


@api.post("/problems/{which}/approve")
def approve(which: KnownProblem, body: Decision, desk: TheDesk, _visitor: Answerer) -> ProblemView:
    """Approve work on a problem; write a story if it has none."""
    decide_problem(desk.signals, which, approved=True, reason=body.reason)
    return problem_view(desk.signals, which)


@api.post("/problems/{which}/dismiss")
def dismiss(which: KnownProblem, body: Decision, desk: TheDesk, _visitor: Answerer) -> ProblemView:
    """Dismiss a problem; Setpoint writes no more stories about it."""
    decide_problem(desk.signals, which, approved=False, reason=body.reason)
    return problem_view(desk.signals, which)


@router.get("/production")
def shown(request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Show what runs and what is wrong with it."""
    mark = mark_of(desk, "production")
    return page(request, "production.html.j2", mark=mark, view=production_view(desk.signals))


@router.post("/production/{which}/approve")
def approved(
    which: KnownProblem, request: Request, desk: TheDesk, _visitor: Answerer, reason: Reason = ""
) -> Response:
    """Approve work on a problem."""
    return _decided(request, desk, which, reason, approved=True)


@router.post("/production/{which}/dismiss")
def dismissed(
    which: KnownProblem, request: Request, desk: TheDesk, _visitor: Answerer, reason: Reason = ""
) -> Response:
    """Dismiss a problem."""
    return _decided(request, desk, which, reason, approved=False)


def _decided(request: Request, desk: RequestContext, which: str, reason: str, *, approved: bool) -> Response:
    try:
        story = decide_problem(desk.signals, which, approved=approved, reason=reason)
    except SetpointError as error:
        return said(request, error.message, bad=True)
    return said(request, f"{story} may be worked on" if approved else "dismissed")
