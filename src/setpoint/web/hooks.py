"""What monitoring systems send: stored at once, answered with 202, and worked on afterwards."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field
from starlette.requests import ClientDisconnect

from setpoint.app.production.signals import (
    Ingested,
    ProductionRecord,
    ingest_alerts,
    ingest_envelope,
    ingest_events,
    ingest_payload,
    ingest_spans,
    record_deployment,
)
from setpoint.errors import SetpointError, UsageError
from setpoint.model.production import Deployment
from setpoint.model.value import Instant, Text, Value
from setpoint.web.request_context import Monitor, Sent, TheDesk
from setpoint.web.shield import HOOKS, MOST_SIGNALS

router = APIRouter(prefix=HOOKS.rstrip("/"))
envelopes = APIRouter()
WORK_S = 30.0
"""Seconds after which put-off signals are looked at again, also without news."""
RETRY_S = 600
"""Seconds after which a sender may try again what was too much."""
_LOG = logging.getLogger(__name__)


class DeploymentBody(Sent):
    """What was deployed."""

    commit: Text = Field(min_length=1, max_length=200)
    environment: Text = Field(default="", max_length=200)
    release: Text = Field(default="", max_length=200)
    at: Instant | None = None
    """When it began to run; else now."""
    id: Text = Field(default="", max_length=200)
    """Its name at the deployment system; the same id is recorded once."""


class IngestOutcome(Value):
    """What became of a message."""

    new: tuple[str, ...]
    """Names of signals that were stored."""
    known: int
    """Signals that were stored before."""
    ended: int
    """Signals that are over."""
    refused: int
    """Signals beyond the hour's limit; the same message may be sent again later."""
    left_out: int
    """Signals that the sender itself left out."""


class DeploymentOutcome(Value):
    """A deployment, and whether it is new."""

    new: bool
    deployment: Deployment


@asynccontextmanager
async def signal_worker(served: FastAPI, book: ProductionRecord) -> AsyncIterator[None]:
    """Work on signals for as long as the block lasts."""
    loop, news = asyncio.get_running_loop(), asyncio.Event()
    # Messages are taken in by other threads.
    served.state.tell = partial(loop.call_soon_threadsafe, news.set)
    task = asyncio.create_task(keep_working(book, news))
    try:
        yield
    finally:
        task.cancel()


async def keep_working(book: ProductionRecord, news: asyncio.Event) -> None:
    """Work on stored signals when there are new ones, and from time to time; what is left of before, too."""
    while True:
        news.clear()
        try:
            await asyncio.to_thread(book.work)
        except (SetpointError, OSError) as error:  # the next pass tries again what is stored
            _LOG.warning("signals from production were not worked on: %s", error)
        except Exception:  # noqa: BLE001 - the worker's boundary: no signal may end the work on all others
            _LOG.exception("a fault of Setpoint's while it worked on signals from production")
        try:
            await asyncio.wait_for(news.wait(), WORK_S)
        except TimeoutError:
            continue


async def body_of(request: Request) -> bytes:
    """Read the whole message; the shield has looked at its size."""
    try:
        return await request.body()
    except ClientDisconnect:
        # The shield ends a message that says nothing of its length and is too long.
        reason = f"the message broke off, or has more than {MOST_SIGNALS} bytes"
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason) from None


Body = Annotated[bytes, Depends(body_of)]
_MESSAGE = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
}


_ENVELOPE = {
    "requestBody": {
        "required": True,
        "content": {"application/x-sentry-envelope": {"schema": {"type": "string"}}},
    }
}


@router.post(
    "/alertmanager", status_code=HTTPStatus.ACCEPTED, response_model=IngestOutcome, openapi_extra=_MESSAGE
)
def alertmanager(body: Body, request: Request, desk: TheDesk, _visitor: Monitor) -> JSONResponse:
    """Take in a message of Prometheus' Alertmanager, version 4."""
    return _stored(request, lambda: ingest_alerts(desk.signals, body))


@router.post(
    "/cloudevents", status_code=HTTPStatus.ACCEPTED, response_model=IngestOutcome, openapi_extra=_MESSAGE
)
def cloudevents(body: Body, request: Request, desk: TheDesk, _visitor: Monitor) -> JSONResponse:
    """Take in one CloudEvent in JSON, or a list of them."""
    return _stored(request, lambda: ingest_events(desk.signals, body))


@router.post(
    "/plugin/{name}", status_code=HTTPStatus.ACCEPTED, response_model=IngestOutcome, openapi_extra=_MESSAGE
)
def plugged(name: str, body: Body, request: Request, desk: TheDesk, _visitor: Monitor) -> JSONResponse:
    """Take in a message that an enabled plug-in of the group `setpoint.signals` reads."""
    return _stored(request, lambda: ingest_payload(desk.signals, name, body))


@router.post("/deployment", status_code=HTTPStatus.ACCEPTED)
def deployment(body: DeploymentBody, request: Request, desk: TheDesk, _visitor: Monitor) -> DeploymentOutcome:
    """Record that a commit runs in an environment."""
    try:
        made, new = record_deployment(
            desk.signals,
            body.commit,
            environment=body.environment,
            release=body.release,
            at=body.at,
            id_=body.id,
        )
    except UsageError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
    request.app.state.tell()
    return DeploymentOutcome(new=new, deployment=made)


@router.post("/otlp/v1/traces", openapi_extra=_MESSAGE)
def traces(body: Body, request: Request, desk: TheDesk, _visitor: Monitor) -> Response:
    """Take in spans by OTLP over HTTP, in JSON or protobuf; those that ended with an error are read."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        taken = ingest_spans(desk.signals, body, media)
    except UsageError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
    request.app.state.tell()
    if taken.refused:
        headers = {"retry-after": str(RETRY_S)}
        return JSONResponse({"detail": "too many"}, HTTPStatus.TOO_MANY_REQUESTS, headers)
    # An answer without a word says that all was taken, in both forms.
    return Response(b"{}" if media == "application/json" else b"", media_type=media)


@envelopes.post("/api/{project}/envelope/", openapi_extra=_ENVELOPE)
@envelopes.post("/api/{project}/envelope", include_in_schema=False)
def envelope(project: int, body: Body, request: Request, desk: TheDesk, _visitor: Monitor) -> JSONResponse:
    """Take in an envelope of a Sentry SDK whose DSN is this server; errors are read, the rest is left."""
    packing = request.headers.get("content-encoding", "")
    try:
        id_, taken = ingest_envelope(desk.signals, body, str(project), packing)
    except UsageError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
    request.app.state.tell()
    if taken.refused:
        headers = {"retry-after": str(RETRY_S)}
        return JSONResponse({"detail": "too many"}, HTTPStatus.TOO_MANY_REQUESTS, headers)
    return JSONResponse({"id": id_})


def _stored(request: Request, take: Callable[[], Ingested]) -> JSONResponse:
    try:
        taken = take()
    except UsageError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error)) from None
    if taken.left_out:
        _LOG.warning("Alertmanager left out %d alerts (max_alerts)", taken.left_out)
    request.app.state.tell()
    content = IngestOutcome(**taken._asdict()).model_dump(mode="json")
    if taken.refused:
        # After an error response the sender repeats the message; stored signals are then already known.
        headers = {"retry-after": str(RETRY_S)}
        return JSONResponse(content, HTTPStatus.SERVICE_UNAVAILABLE, headers)
    return JSONResponse(content, HTTPStatus.ACCEPTED)
