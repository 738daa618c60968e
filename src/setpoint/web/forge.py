"""The webhook of a forge: check the signature and store; `setpoint forge watch` works on what is stored."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse

from setpoint.app.forge.deliveries import Webhook
from setpoint.errors import DeliveryRefused, UsageError
from setpoint.model.value import Text, Value
from setpoint.web.hooks import Body
from setpoint.web.request_context import TheDesk
from setpoint.web.shield import FORGE

router = APIRouter()


class DeliveryOutcome(Value):
    """What became of a message of the forge."""

    id: Text
    """As the forge names it."""
    news: int
    """How many things it says that Setpoint uses."""
    new: bool
    """Whether its content arrived for the first time."""


@router.post(
    FORGE,
    status_code=HTTPStatus.ACCEPTED,
    response_model=DeliveryOutcome,
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    },
)
def delivery(body: Body, request: Request, desk: TheDesk) -> JSONResponse:
    """Take in a message of GitHub or Forgejo, signed with the secret of the webhook."""
    try:
        hook = Webhook(desk.project)
    except UsageError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND, error.message) from None
    try:
        stored = hook.take(dict(request.headers), body)
    except DeliveryRefused as error:
        raise HTTPException(HTTPStatus.UNAUTHORIZED, error.message) from None
    except UsageError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, error.message) from None
    content = DeliveryOutcome(id=stored.id, news=stored.news, new=stored.new).model_dump(mode="json")
    return JSONResponse(content, HTTPStatus.ACCEPTED)
