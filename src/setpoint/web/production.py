"""Production: what runs, what is wrong with it, which change is suspected, and what a person says to it."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import Response
from pydantic import Field

from setpoint import wiring
from setpoint.domain.value import Text, Value
from setpoint.errors import SetpointError, UsageError
from setpoint.web.context import Answerer, Desk, Reader, TheDesk
from setpoint.web.marks import mark_of
from setpoint.web.pages import page, said

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api/v1/production")
MOST_REASON = 2000


class Why(Value):
    """Why a person decides so."""

    reason: Text = Field(default="", max_length=MOST_REASON)


def known_problem(which: str, desk: TheDesk) -> str:
    """Give the fingerprint of a problem, or answer that there is none."""
    try:
        return wiring.problem_view(desk.signals, which).fingerprint
    except UsageError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, error.message) from None


KnownProblem = Annotated[str, Depends(known_problem)]
Reason = Annotated[str, Form(max_length=MOST_REASON)]


@api.get("")
def production(desk: TheDesk, _visitor: Reader) -> wiring.ProductionView:
    """Give what was deployed, and the problems that signals tell of, the one seen last first."""
    return wiring.production_view(desk.signals)


@api.get("/problems/{which}")
def problem(which: KnownProblem, desk: TheDesk, _visitor: Reader) -> wiring.ProblemView:
    """Give one problem by its fingerprint, a signal or its story."""
    return wiring.problem_view(desk.signals, which)


@api.get("/signals/{which}")
def signal(which: str, desk: TheDesk, _visitor: Reader) -> wiring.SignalView:
    """Give one signal by its name."""
    try:
        return wiring.signal_view(desk.signals, which)
    except UsageError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, error.message) from None


@api.post("/problems/{which}/approve")
def approve(which: KnownProblem, body: Why, desk: TheDesk, _visitor: Answerer) -> wiring.ProblemView:
    """Let the story of a problem be worked on; one that has none gets one."""
    wiring.decide_problem(desk.signals, which, approved=True, reason=body.reason)
    return wiring.problem_view(desk.signals, which)


@api.post("/problems/{which}/dismiss")
def dismiss(which: KnownProblem, body: Why, desk: TheDesk, _visitor: Answerer) -> wiring.ProblemView:
    """Say that a problem is none: no more stories are written about it."""
    wiring.decide_problem(desk.signals, which, approved=False, reason=body.reason)
    return wiring.problem_view(desk.signals, which)


@router.get("/production")
def shown(request: Request, desk: TheDesk, _visitor: Reader) -> Response:
    """Show what runs and what is wrong with it."""
    mark = mark_of(desk, "production")
    return page(request, "production.html.j2", mark=mark, view=wiring.production_view(desk.signals))


@router.post("/production/{which}/approve")
def approved(
    which: KnownProblem, request: Request, desk: TheDesk, _visitor: Answerer, reason: Reason = ""
) -> Response:
    """Let the story of a problem be worked on."""
    return _decided(request, desk, which, reason, approved=True)


@router.post("/production/{which}/dismiss")
def dismissed(
    which: KnownProblem, request: Request, desk: TheDesk, _visitor: Answerer, reason: Reason = ""
) -> Response:
    """Say that a problem is none."""
    return _decided(request, desk, which, reason, approved=False)


def _decided(request: Request, desk: Desk, which: str, reason: str, *, approved: bool) -> Response:
    try:
        story = wiring.decide_problem(desk.signals, which, approved=approved, reason=reason)
    except SetpointError as error:
        return said(request, error.message, bad=True)
    return said(request, f"{story} may be worked on" if approved else "dismissed")
