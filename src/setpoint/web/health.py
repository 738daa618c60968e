"""Whether the server and its record answer, for monitors: without a login, and with no detail."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse

from setpoint.web.request_context import TheDesk
from setpoint.web.shield import HEALTHY, READY

MOST_S: Final = 5.0
"""Seconds that the record has to answer."""

router = APIRouter()


@router.get(HEALTHY, response_class=PlainTextResponse)
async def healthy() -> str:
    """Say that the process answers."""
    return "ok\n"


@router.get(READY, response_class=PlainTextResponse)
async def ready(desk: TheDesk) -> PlainTextResponse:
    """Say whether the record answers; 503 where it does not."""
    try:
        answers = await asyncio.wait_for(asyncio.to_thread(desk.project.store.answers), MOST_S)
    except TimeoutError:
        answers = False
    if answers:
        return PlainTextResponse("ok\n")
    told = "the record does not answer; `setpoint db check` says why\n"
    return PlainTextResponse(told, HTTPStatus.SERVICE_UNAVAILABLE)
