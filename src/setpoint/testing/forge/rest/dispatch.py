"""Find the function for a request, check what the caller may do, and finish the answer as GitHub does."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from http import HTTPStatus
from urllib.parse import urlencode

from setpoint.testing.forge import graphql
from setpoint.testing.forge.records import Caller, Json
from setpoint.testing.forge.refusal import Refused, missing
from setpoint.testing.forge.rest import accounts, hooks, issues, pulls, reports, reviews
from setpoint.testing.forge.rest.exchange import Ask, Reply, Route
from setpoint.testing.forge.world import World

PREFIX = "/api/v3"
GRAPHQL = "/api/graphql"
_PER_PAGE = 30
_MOST_PER_PAGE = 100
_REPOSITORY = (
    *issues.ROUTES,
    *pulls.ROUTES,
    *reviews.ROUTES,
    *reports.ROUTES,
    *hooks.ROUTES,
    *accounts.ROUTES,
)


@dataclass(frozen=True, kw_only=True)
class HttpAnswer:
    """An answer, ready to be sent."""

    status: int
    headers: dict[str, str]
    body: bytes = b""


def respond(
    world: World, ask: Ask, raw: bytes, *, bad_token: bool = False, none_match: str = ""
) -> HttpAnswer:
    """Answer a request to the API; `raw` is its body, `none_match` its If-None-Match."""
    headers = {"X-GitHub-Media-Type": "github.v3; format=json", "X-GitHub-Enterprise-Version": "3.19.0"}
    try:
        if bad_token:
            raise Refused(401, "Bad credentials")
        if world.spent(ask.token) >= world.limit and ask.path != "/rate_limit":
            raise Refused(403, "API rate limit exceeded.")
        reply = _reply(world, replace(ask, body=_read(raw)))
        reply = _paged(world, ask, reply)
    except Refused as refused:
        reply = Reply(status=refused.status, body=refused.body)
    body = b"" if reply.status == HTTPStatus.NO_CONTENT else json.dumps(reply.body).encode()
    tag = f'W/"{hashlib.sha256(body).hexdigest()}"'
    known = ask.method == "GET" and reply.status == HTTPStatus.OK
    unchanged = known and tag in [each.strip() for each in none_match.split(",")]
    if not unchanged and ask.path != "/rate_limit":
        world.spent(ask.token, 1)
    headers |= {**_limits(world, ask.token), **reply.headers}
    if known:
        headers |= {"ETag": tag, "Cache-Control": "private, max-age=60, s-maxage=60"}
    if unchanged:
        return HttpAnswer(status=304, headers=headers)
    if body:
        headers["Content-Type"] = "application/json; charset=utf-8"
    return HttpAnswer(status=reply.status, headers=headers, body=body)


def _read(raw: bytes) -> Json:
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except ValueError:
        raise Refused(400, "Problems parsing JSON") from None
    if isinstance(body, list):  # labels may come as a bare list
        return {"labels": body}
    if not isinstance(body, dict):
        raise Refused(400, "Body should be a JSON object")
    return body


def _reply(world: World, ask: Ask) -> Reply:
    if ask.path == GRAPHQL:
        return graphql.answer(ask)
    path = ask.path
    for route in accounts.GLOBAL_ROUTES:
        if (found := route.match(ask.method, path)) is not None:
            return route.answer(replace(ask, found=found))
    start = f"/repos/{world.full_name}"
    if not f"{path}/".lower().startswith(f"{start}/".lower()):
        raise missing()
    for route in _REPOSITORY:
        if (found := route.match(ask.method, path[len(start) :])) is not None:
            _permit(world, ask.caller, route)
            return route.answer(replace(ask, found=found))
    raise missing()


def _permit(world: World, caller: Caller | None, route: Route) -> None:
    """Raise the refusal of GitHub where the caller may not do this."""
    if route.need == "anyone":
        return
    if caller is None:
        if world.private:
            raise missing()
        if route.need != "read":
            raise Refused(401, "Requires authentication")
        return
    if caller.app:
        return
    if world.role(caller.login) == "none":
        raise missing()
    if route.need == "app":
        raise Refused(403, "You must authenticate via a GitHub App.")
    if route.need == "write" and not world.may_write(caller.login):
        raise Refused(403, "Resource not accessible by personal access token")


def _paged(world: World, ask: Ask, reply: Reply) -> Reply:
    """Cut the page that was asked for, and name its neighbours in `Link`."""
    if reply.pages is None:
        return reply
    size = _whole(ask.query.get("per_page"), _PER_PAGE, _MOST_PER_PAGE)
    page = _whole(ask.query.get("page"), 1, 1_000_000)
    last = max(1, -(-len(reply.pages) // size))
    entries = list(reply.pages[(page - 1) * size : page * size])
    prefix = world.api
    named = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
    shown = {"prev": page > 1, "next": page < last, "last": page < last, "first": page > 1}
    links = [
        f'<{prefix}{ask.path}?{urlencode({**ask.query, "page": str(number)})}>; rel="{name}"'
        for name, number in named.items()
        if shown[name]
    ]
    headers = {**reply.headers, **({"Link": ", ".join(links)} if links else {})}
    body = {"total_count": len(reply.pages), reply.under: entries} if reply.under else entries
    return replace(reply, body=body, headers=headers)


def _whole(given: str | None, default: int, most: int) -> int:
    return min(most, max(1, int(given))) if given and given.isdecimal() else default


def _limits(world: World, token: str) -> dict[str, str]:
    used = world.spent(token)
    return {
        "X-RateLimit-Limit": str(world.limit),
        "X-RateLimit-Remaining": str(max(0, world.limit - used)),
        "X-RateLimit-Used": str(used),
        "X-RateLimit-Reset": str(world.resets_at()),
        "X-RateLimit-Resource": "core",
    }
