"""What every route works with, and how it asks who the visitor is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from pydantic import ConfigDict

from setpoint.app.production.signals import ProductionRecord
from setpoint.app.runs.launcher import Launcher
from setpoint.errors import UsageError
from setpoint.model.events import Body
from setpoint.model.value import Value
from setpoint.web.access import Access, Scope, Visitor
from setpoint.web.live import Feed
from setpoint.wiring.project import Project, find_run


class Sent(Value):
    """What a visitor sends; the framework expects such classes to be built when their module is loaded."""

    model_config = ConfigDict(defer_build=False)


@dataclass(frozen=True, kw_only=True)
class RequestContext:
    """One project, opened for visitors."""

    project: Project
    access: Access
    launcher: Launcher
    feed: Feed
    signals: ProductionRecord
    told: Callable[[Body], tuple[str, bool]]
    """Says an event in one line, and whether it is a detail."""


async def context_of(request: Request) -> RequestContext:
    """Return what the application was made with; FastAPI gives a plain function a thread of its own."""
    desk = request.app.state.desk
    assert isinstance(desk, RequestContext)  # noqa: S101 - the application is made in one place, with this
    return desk


def current_visitor(request: Request) -> Visitor:
    """Return who the request comes from; the shield has let nobody else through."""
    visitor = request.state.visitor
    if not isinstance(visitor, Visitor):
        raise HTTPException(HTTPStatus.UNAUTHORIZED, "log in first")
    return visitor


def require(visitor: Visitor, scope: Scope) -> None:
    """Refuse a visitor who may not do what needs a scope."""
    if not visitor.scope.includes(scope):
        raise HTTPException(HTTPStatus.FORBIDDEN, f"this needs the scope '{scope}', not '{visitor.scope}'")


def needs(scope: Scope) -> Callable[[Request], Awaitable[Visitor]]:
    """Make a check that a visitor may do what needs a scope."""

    async def checked(request: Request) -> Visitor:
        visitor = current_visitor(request)
        if not visitor.scope.includes(scope):
            raise HTTPException(
                HTTPStatus.FORBIDDEN, f"this needs the scope '{scope}', not '{visitor.scope}'"
            )
        return visitor

    return checked


def known_run(which: str, desk: Annotated[RequestContext, Depends(context_of)]) -> str:
    """Return the full name of a run, or answer that there is none."""
    try:
        return find_run(desk.project, which).trace_id
    except UsageError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, error.message) from None


TheDesk = Annotated[RequestContext, Depends(context_of)]
Reader = Annotated[Visitor, Depends(needs(Scope.READ))]
Answerer = Annotated[Visitor, Depends(needs(Scope.FEEDBACK))]
Monitor = Annotated[Visitor, Depends(needs(Scope.SIGNAL))]
Admin = Annotated[Visitor, Depends(needs(Scope.ADMIN))]
KnownRun = Annotated[str, Depends(known_run)]
