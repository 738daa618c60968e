"""REST: deliveries of the webhooks, to be listed and sent again."""

from __future__ import annotations

from http import HTTPStatus

from setpoint.testing.forge.naming import stamp
from setpoint.testing.forge.payloads.repository import REPOSITORY_ID
from setpoint.testing.forge.records import Json
from setpoint.testing.forge.refusal import missing
from setpoint.testing.forge.rest.exchange import Ask, Reply, Route
from setpoint.testing.forge.webhooks import Attempt, Hook, WebhookDelivery
from setpoint.testing.forge.world import World


def _hook(ask: Ask) -> Hook:
    found = next((each for each in ask.world.hooks if each.id == ask.number()), None)
    if found is None:
        raise missing()
    return found


def _delivery(ask: Ask) -> tuple[Hook, WebhookDelivery]:
    hook, number = _hook(ask), ask.number("delivery")
    found = next((each for each in hook.deliveries if each.id == number), None)
    if found is None:
        raise missing()
    return hook, found


def _shown(world: World, delivery: WebhookDelivery, attempt: Attempt) -> Json:
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": stamp(attempt.at),
        "redelivery": attempt.redelivery,
        "duration": 0.01,
        "status": "OK"
        if HTTPStatus.OK <= attempt.status < HTTPStatus.MULTIPLE_CHOICES
        else "Invalid HTTP Response",
        "status_code": attempt.status,
        "event": delivery.event,
        "action": delivery.action or None,
        "installation_id": world.installation_id,
        "repository_id": REPOSITORY_ID,
        "throttled_at": None,
    }


def _list(ask: Ask) -> Reply:
    tried = [(attempt, each) for each in _hook(ask).deliveries for attempt in each.attempts]
    tried.sort(key=lambda pair: (pair[0].at, pair[1].id), reverse=True)
    return Reply(pages=[_shown(ask.world, each, attempt) for attempt, each in tried])


def _get(ask: Ask) -> Reply:
    hook, found = _delivery(ask)
    if not found.attempts:
        raise missing()
    body = _shown(ask.world, found, found.attempts[-1])
    body["url"] = hook.url
    body["request"] = {"headers": hook.headers(found), "payload": found.payload}
    body["response"] = {"headers": {}, "payload": ""}
    return Reply(body=body)


def _again(ask: Ask) -> Reply:
    hook, found = _delivery(ask)
    hook.redeliver(found.guid)
    return Reply(status=202, body={})


_LISTED = "/hooks/{number:number}/deliveries"
ROUTES = (
    Route("GET", _LISTED, _list, "write"),
    Route("GET", f"{_LISTED}/{{delivery:number}}", _get, "write"),
    Route("POST", f"{_LISTED}/{{delivery:number}}/attempts", _again, "write"),
)
