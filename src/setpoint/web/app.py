"""The application: routes behind the shield, and what it does beside answering."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from http import HTTPStatus
from importlib import resources
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from setpoint.app.production.signals import ProductionRecord
from setpoint.app.project.machine_faults import machine_fault
from setpoint.app.runs.launcher import Launcher
from setpoint.app.runs.worker_pool import WorkerPool
from setpoint.app.views.live.changes import project_changes
from setpoint.app.views.metrics import store_due_metrics
from setpoint.errors import RecordedDataError, SetpointError, UsageError
from setpoint.model.events import Body
from setpoint.version import __version__
from setpoint.web import (
    api,
    api_feedback,
    api_learnings,
    check_page,
    diff_page,
    finding_page,
    forge,
    health,
    home_page,
    hooks,
    learning_page,
    pages,
    production,
)
from setpoint.web.access import Access
from setpoint.web.live import Feed
from setpoint.web.request_context import RequestContext
from setpoint.web.shield import HOOKS, Shield
from setpoint.wiring.project import Project

SNAPSHOT_S = 3600.0
"""Seconds between two looks whether a day is over that has no stored metrics yet."""
DESCRIBED = (
    (api.router, "runs"),
    (api_feedback.router, "feedback"),
    (api_learnings.router, "learnings"),
    (production.api, "production"),
    (hooks.router, "production"),
    (hooks.envelopes, "production"),
    (forge.router, "forge"),
    (health.router, "health"),
)
"""What programs call, each with the part of the API that it belongs to."""
PAGES = (
    production.router,
    home_page.router,
    pages.router,
    pages.shown,
    diff_page.router,
    check_page.router,
    finding_page.router,
    learning_page.router,
)
"""What browsers call."""
_LOG = logging.getLogger(__name__)
_HERE = Path(__file__).parent


def make_app(
    project: Project,
    access: Access,
    hosts: Iterable[str],
    told: Callable[[Body], tuple[str, bool]],
    worker: WorkerPool | None = None,
) -> FastAPI:
    """Make the dashboard of a project.

    `hosts` are the values of `Host` it answers to; `told` says an event in one line, and whether it is a
    detail. `worker` works through the board meanwhile; its runs end with the server and can be resumed.
    """

    @asynccontextmanager
    async def living(served: FastAPI) -> AsyncIterator[None]:
        beside = [asyncio.create_task(_keep_metrics(project))]
        beside += [asyncio.create_task(_keep_working(worker))] if worker else []
        try:
            async with hooks.signal_worker(served, desk.signals):
                yield
        finally:
            for task in beside:
                task.cancel()
            desk.feed.close()
            await asyncio.gather(desk.launcher.close(), *beside, return_exceptions=True)

    feed = Feed(project_changes(project))
    desk = RequestContext(
        project=project,
        access=access,
        launcher=Launcher(project, feed.wake),
        feed=feed,
        signals=ProductionRecord(project),
        told=told,
    )
    app = FastAPI(
        title="Setpoint",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=living,
        middleware=[Middleware(Shield, access=access, hosts=tuple(hosts))],
    )
    app.state.desk = desk
    _put_routes(app)
    return app


def _put_routes(app: FastAPI) -> None:
    """Put what programs call before the pages, files that are for everybody after both, and errors."""
    app.add_exception_handler(SetpointError, _explained)
    app.add_exception_handler(OSError, _of_the_machine)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _misread)
    for router, tag in DESCRIBED:
        app.include_router(router, tags=[tag])
    for router in PAGES:
        app.include_router(router)
    app.add_api_route("/static/report.css", _report_style, include_in_schema=False)
    app.mount("/static", StaticFiles(directory=_HERE / "static"))


def _report_style() -> Response:
    """Return the style that a page shares with the reports."""
    text = resources.files("setpoint.history.reports").joinpath("templates", "report.css").read_text("utf-8")
    return Response(text, media_type="text/css")


async def _keep_metrics(project: Project) -> None:
    while True:
        try:
            await asyncio.to_thread(store_due_metrics, project)
        except RecordedDataError as error:  # a damaged record must not end the dashboard that may show it
            _LOG.warning("the metrics of days that are over were not stored: %s", error)
        await asyncio.sleep(SNAPSHOT_S)


async def _keep_working(worker: WorkerPool) -> None:
    try:
        await worker.work()
    except SetpointError as error:  # as above
        _LOG.error("the worker has ended: %s", error)


async def _explained(request: Request, error: Exception) -> Response:
    status = HTTPStatus.CONFLICT if isinstance(error, UsageError) else HTTPStatus.INTERNAL_SERVER_ERROR
    return _answer(request, status, str(error))


async def _of_the_machine(request: Request, error: Exception) -> Response:
    """Say what the machine refused; anything else is a bug."""
    if said := machine_fault(error, request.app.state.desk.project.root):
        return _answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, said)
    raise error


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else HTTPStatus.INTERNAL_SERVER_ERROR
    return _answer(request, status, str(getattr(error, "detail", error)))


async def _misread(request: Request, error: Exception) -> Response:
    """Say in plain words which field of a form is wrong; programs get the list."""
    wrong = error.errors() if isinstance(error, RequestValidationError) else []
    if request.url.path.startswith(("/api/", HOOKS)):
        # The response repeats the input; JSON can express an infinite number only as text.
        listed = json.loads(json.dumps(jsonable_encoder(wrong)), parse_constant=str)
        return JSONResponse({"detail": listed}, status_code=HTTPStatus.UNPROCESSABLE_ENTITY)
    told = "; ".join(f"{each['loc'][-1]}: {each['msg']}" for each in wrong)
    return _answer(request, HTTPStatus.UNPROCESSABLE_ENTITY, told)


def _answer(request: Request, status: int, reason: str) -> Response:
    if request.url.path.startswith(("/api/", HOOKS)):
        return JSONResponse({"detail": reason}, status_code=status)
    if "text/html" in request.headers.get("accept", "") and hasattr(request.state, "visitor"):
        return pages.page(request, "fault.html.j2", status=status, reason=reason)
    return PlainTextResponse(reason + "\n", status_code=status)
