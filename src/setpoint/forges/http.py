"""Requests to the API of a forge: retries, limits of the rate, pages, and a cache that costs no rate."""

from __future__ import annotations

import asyncio
import builtins
import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, NamedTuple, TypeVar

import httpx2
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from setpoint.errors import ForgeBusy, ForgeError

T = TypeVar("T")
Query = Mapping[str, str | int]
Json = Mapping[str, Any]

PAUSES_S = (1.0, 3.0)
"""Between the tries; there is one more try than pauses."""
LONGEST_WAIT_S = 10.0
"""Whoever is asked to wait longer gets `ForgeBusy`."""
LONGEST_SILENCE_S = 3600.0
TIMEOUT = httpx2.Timeout(30.0, connect=10.0)
PER_PAGE = 100
MOST_PAGES = 500
MOST_CACHED = 500
MOST_CACHED_BYTES = 2_000_000
"""Larger answers are not kept."""
_AGAIN = (500, 502, 503, 504)
_LIMITED = (403, 429)
_MOST_SAID = 300


async def no_token() -> str:
    """Return no authorization."""
    return ""


def _now() -> datetime:
    return datetime.now(UTC)


class Answered(BaseModel):
    """What a forge answers: only the keys that Setpoint reads."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


@dataclass(frozen=True, kw_only=True)
class Site:
    """Where an API is, and how to ask it."""

    name: str
    """For messages."""
    api_url: str
    """Without a slash at the end."""
    authorize: Callable[[], Awaitable[str]] = no_token
    """Gives the value of the header `Authorization`; empty: none is sent."""
    headers: Mapping[str, str] = field(default_factory=dict)
    page_size: str = "per_page"
    """Parameter for the length of a page."""
    login_hint: str = ""
    """What to do where the token is refused."""
    permission_hint: Callable[[Mapping[str, str]], str] = lambda _: ""
    """Tells from the headers of a refusal what the token lacks."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    now: Callable[[], datetime] = _now
    transport: httpx2.AsyncBaseTransport | None = None
    """Only for tests."""


class Reply(NamedTuple):
    """An answer of the API."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def read(self, shape: type[T] | TypeAdapter[T], what: str) -> T:
        """Return the answer as this shape; raises `ForgeError` where it is another."""
        adapter = shape if isinstance(shape, TypeAdapter) else TypeAdapter(shape)
        try:
            return adapter.validate_json(self.body)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ForgeError(f"{what}: an answer that cannot be read: {place}: {first['msg']}") from None


class ForgeHttp:
    """Asks one API; an object is good for any number of event loops, one after the other."""

    def __init__(self, site: Site) -> None:
        """Ask nothing yet."""
        self.site = site
        self._cache: OrderedDict[str, Reply] = OrderedDict()
        # No connection stays open, because it would belong to the event loop of the first request.
        self._client = httpx2.AsyncClient(
            timeout=TIMEOUT,
            limits=httpx2.Limits(max_keepalive_connections=0),
            headers={"user-agent": "setpoint", **site.headers},
            transport=site.transport,
        )

    def url(self, path: str) -> str:
        """Return the whole address of a path; a whole address of this API stays as it is."""
        return path if path.startswith(("http://", "https://")) else self.site.api_url + path

    async def get(self, path: str, query: Query | None = None, *, also: tuple[int, ...] = ()) -> Reply:
        """Read; what did not change since the last time comes from the cache."""
        url = str(httpx2.URL(self.url(path), params=dict(query))) if query else self.url(path)
        kept = self._cache.get(url)
        headers = {"if-none-match": kept.headers["etag"]} if kept else {}
        reply = await self._asked(
            _Call("GET", url, None, headers), (*also, HTTPStatus.NOT_MODIFIED), again=True
        )
        if reply.status == HTTPStatus.NOT_MODIFIED and kept:
            self._cache.move_to_end(url)
            return kept
        if reply.status == HTTPStatus.OK and "etag" in reply.headers and len(reply.body) < MOST_CACHED_BYTES:
            self._cache[url] = reply
            while len(self._cache) > MOST_CACHED:
                self._cache.popitem(last=False)
        return reply

    async def list(self, path: str, shape: type[T], query: Query | None = None) -> tuple[T, ...]:
        """Read all pages of a list."""
        return tuple([each async for page in self.pages(path, shape, query) for each in page])

    async def pages(
        self, path: str, shape: type[T], query: Query | None = None
    ) -> AsyncIterator[builtins.list[T]]:
        """Read a list page by page."""
        adapter: TypeAdapter[builtins.list[T]] = TypeAdapter(builtins.list[shape])  # type: ignore[valid-type] # a class at run time
        reply = await self.get(path, {self.site.page_size: PER_PAGE, **(query or {})})
        for _ in range(MOST_PAGES):
            yield reply.read(adapter, f"{self.site.name}: {path}")
            following = self._next(reply)
            if not following:
                return
            reply = await self.get(following)
        raise ForgeError(f"{self.site.name}: {path}: the list has more than {MOST_PAGES} pages")

    async def send(
        self, method: str, path: str, body: Json, *, also: tuple[int, ...] = (), again: bool | None = None
    ) -> Reply:
        """Write; a request that may have had an effect is repeated only where a second one changes nothing.

        `also` are statuses of refusals that come back instead of raising `ForgeError`.
        """
        call = _Call(method, self.url(path), json.dumps(body).encode(), {"content-type": "application/json"})
        return await self._asked(call, also, again=method != "POST" if again is None else again)

    def _next(self, reply: Reply) -> str:
        links = httpx2.Response(200, headers={"link": reply.headers.get("link", "")}).links
        url = links.get("next", {}).get("url", "")
        if not url:
            return ""
        own, other = httpx2.URL(self.site.api_url), httpx2.URL(url)
        if (own.scheme, own.host, own.port) != (other.scheme, other.host, other.port):
            raise ForgeError(f"{self.site.name}: the next page is at another host: {other.host}")
        return url

    async def _asked(self, call: _Call, also: tuple[int, ...], *, again: bool) -> Reply:
        for pause in (*PAUSES_S, None):
            try:
                reply = await self._sent(call)
            except httpx2.ConnectError as error:
                if pause is None:
                    raise self._unreachable(error) from None
            except (httpx2.RequestError, httpx2.InvalidURL) as error:
                if pause is None or not again:
                    raise self._unreachable(error) from None
            else:
                wait_s = self._limited(reply)
                if wait_s is not None:
                    if pause is None or wait_s > LONGEST_WAIT_S:
                        raise self._busy(call, reply, wait_s)
                    await self.site.sleep(max(wait_s, pause))
                    continue
                if reply.status not in _AGAIN or pause is None or not again:
                    return self._checked(call, reply, also)
            await self.site.sleep(pause)
        raise AssertionError  # the last try returns or raises

    async def _sent(self, call: _Call) -> Reply:
        authorization = await self.site.authorize()
        headers = dict(call.headers)
        if authorization:
            headers["authorization"] = authorization
        answer = await self._client.request(
            call.method, call.url, content=call.body, headers=headers, follow_redirects=call.method == "GET"
        )
        return Reply(answer.status_code, answer.headers, answer.content)

    def _unreachable(self, error: Exception) -> ForgeError:
        why = str(error) or type(error).__name__
        host = httpx2.URL(self.site.api_url).host
        return ForgeError(
            f"{self.site.name}: {self.site.api_url} cannot be reached: {why}",
            hint=f"look whether {host} is right (setting forge.api_url) and can be reached from here",
        )

    def _limited(self, reply: Reply) -> float | None:
        """Return the seconds that the forge asks to wait; none where it does not."""
        if reply.status not in _LIMITED:
            return None
        asked = reply.headers.get("retry-after", "")
        if asked:
            return self._until(asked)
        reset = reply.headers.get("x-ratelimit-reset", "")
        if reply.headers.get("x-ratelimit-remaining") == "0" and reset.isascii() and reset.isdigit():
            return self._within(float(reset) - self.site.now().timestamp())
        if reply.status == HTTPStatus.TOO_MANY_REQUESTS or b"secondary rate limit" in reply.body:
            return 60.0
        return None

    def _until(self, asked: str) -> float:
        if asked.isascii() and asked.isdigit():
            return self._within(float(asked))
        try:
            at = parsedate_to_datetime(asked)
        except ValueError:
            return 60.0
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return self._within((at - self.site.now()).total_seconds())

    @staticmethod
    def _within(seconds: float) -> float:
        return min(max(seconds, 1.0), LONGEST_SILENCE_S)

    def _busy(self, call: _Call, reply: Reply, wait_s: float) -> ForgeBusy:
        told = f"{reply.status} too many requests; it asks to wait {wait_s:.0f} s"
        hint = "ask it less often: setting forge.poll_s, or use a webhook"
        return ForgeBusy(f"{self.site.name}: {call.shown}: {told}", wait_s=wait_s, hint=hint)

    def _checked(self, call: _Call, reply: Reply, also: tuple[int, ...]) -> Reply:
        if reply.status < HTTPStatus.MULTIPLE_CHOICES or reply.status in also:
            return reply
        raise self.refused(call.method, call.url, reply)

    def refused(self, method: str, path: str, reply: Reply) -> ForgeError:
        """Return the error for a refusal."""
        hint = ""
        match reply.status:
            case 301 | 302 | 307 | 308:
                hint = "the repository has another name now: set forge.repository"
            case 401:
                hint = self.site.login_hint
            case 403:
                hint = self.site.permission_hint(reply.headers)
            case 404:
                hint = (
                    "it does not exist, or the token may not see it: look at forge.repository and the token"
                )
        shown = f"{method} {httpx2.URL(self.url(path)).path}"
        return ForgeError(f"{self.site.name}: {shown}: {reply.status} {said(reply.body)}".rstrip(), hint=hint)


class _Call(NamedTuple):
    """A request."""

    method: str
    url: str
    body: bytes | None
    headers: Mapping[str, str]

    @property
    def shown(self) -> str:
        """Return it for a message."""
        return f"{self.method} {httpx2.URL(self.url).path}"


def said(body: bytes) -> str:
    """Return what the body of a refusal says, in one line."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return " ".join(body[:_MOST_SAID].decode("utf-8", "replace").split())
    if not isinstance(told, dict):
        return ""
    parts = [str(told.get("message", ""))]
    errors = told.get("errors")
    for each in errors if isinstance(errors, list) else ():
        named = each if isinstance(each, dict) else {"message": each}
        words = (str(named[key]) for key in ("field", "code", "message") if named.get(key))
        parts.append(" ".join(words))
    text = "; ".join(filter(None, parts))
    return " ".join(text.split())[:_MOST_SAID].encode("utf-8", "replace").decode()
