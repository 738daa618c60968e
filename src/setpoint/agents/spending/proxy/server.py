"""The proxy itself: HTTP/1.1 on a free port of loopback, each request passed on, each answer passed through.

Bodies stream through as they come. Of a call are kept: path, model, status, seconds and counts of tokens.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlsplit

import h11
import httpx2

from setpoint.agents.spending.proxy.dialects import Reading, api_of, model_asked, offers_tools
from setpoint.model.attempt import CUT_OFF, NOT_REACHED, ModelCall

_HOPS = frozenset(
    {
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
        *("te", "trailer", "transfer-encoding", "upgrade", "host", "content-length", "accept-encoding"),
    }
)
"""Headers that hold between two neighbours alone, or that the proxy sets itself."""
_MOST_BODY = 256 * 1024 * 1024
_CHUNK = 65536
_CONNECT_S = 30.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
CallListener = Callable[[ModelCall, bool], None]
"""Receives a call, and whether it went to another machine, so that a list price may apply."""


class _Asked(NamedTuple):
    """A request for a model."""

    method: str
    url: str
    path: str
    """Without token and query."""
    headers: list[tuple[bytes, bytes]]
    body: bytes


class _Refused(Exception):
    """A request that is not passed on."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why


class Proxy:
    """Forwards an agent's calls to its configured models, and reports each.

    Only clients that know the random word in its path may use it; other local programs get 404. It forwards
    nothing more once `refusal` returns a reason.
    """

    def __init__(self, seen: CallListener, refusal: Callable[[], str]) -> None:
        """Nothing listens yet."""
        self._seen, self._refusal = seen, refusal
        self._word = secrets.token_urlsafe(18)
        self._upstreams: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._client: httpx2.AsyncClient | None = None

    async def open(self) -> None:
        """Begin to listen."""
        # An answer may take as long as the model thinks; the attempt's own time bounds it.
        timeout = httpx2.Timeout(None, connect=_CONNECT_S)
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
        self._client = httpx2.AsyncClient(timeout=timeout, limits=limits, follow_redirects=False)
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def close(self) -> None:
        """Stop listening and end every call that is under way."""
        if self._server is not None:
            self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    def lane(self, upstream: str) -> str:
        """Return the address that stands for an upstream's base address."""
        if self._server is None:
            msg = "the proxy does not listen yet"
            raise RuntimeError(msg)
        self._upstreams.append(upstream.rstrip("/"))
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}/{self._word}/{len(self._upstreams) - 1}"

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: that of the library complains where it is cancelled.
        task = asyncio.get_running_loop().create_task(self._met(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = _Wire(reader, writer)
        try:
            while await self._one(wire):
                pass
        except (h11.ProtocolError, OSError):
            pass  # who speaks no HTTP, or hung up, is owed no answer
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _one(self, wire: _Wire) -> bool:
        """Serve one request; return false if the connection ends."""
        request = await wire.request()
        if request is None:
            return False
        try:
            asked = self._understood(request, await wire.body())
        except _Refused as refused:
            await wire.refuse(refused.status, refused.why)
        else:
            await self._pass_on(asked, wire)
        return wire.again()

    def _understood(self, request: h11.Request, body: bytes) -> _Asked:
        target = request.target.decode("ascii")
        bare, _, query = target.partition("?")
        _, word, number, *rest = [*bare.split("/", 3), "", "", ""][:4]
        known = hmac.compare_digest(word.encode(), self._word.encode())
        if not known or not number.isdecimal() or int(number) >= len(self._upstreams):
            raise _Refused(HTTPStatus.NOT_FOUND, "there is nothing here")
        if reason := self._refusal():
            raise _Refused(HTTPStatus.PAYMENT_REQUIRED, reason)
        path = f"/{rest[0]}"
        return _Asked(
            method=request.method.decode("ascii"),
            url=f"{self._upstreams[int(number)]}{path}{f'?{query}' if query else ''}",
            path=path,
            headers=[(name, value) for name, value in request.headers if name.decode() not in _HOPS],
            body=body,
        )

    async def _pass_on(self, asked: _Asked, wire: _Wire) -> None:
        began_s = time.monotonic()
        api = api_of(asked.path)
        reading, status, fault = Reading(api, "", "br"), 0, ""
        retry_after_s: float | None = None
        try:
            async with self._sent(asked) as answer:
                status = answer.status_code
                headers = answer.headers
                retry_after_s = _retry_after(headers.get("retry-after", ""))
                reading = Reading(api, headers.get("content-type", ""), headers.get("content-encoding", ""))
                await wire.head(answer)
                async for piece in answer.aiter_raw():
                    reading.feed(piece)
                    await wire.data(piece)
                await wire.end()
        except httpx2.HTTPError as error:
            fault = f"{type(error).__name__}: {error}"
            unsent = isinstance(
                error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.UnsupportedProtocol
            )
            fault = f"{NOT_REACHED}: {urlsplit(asked.url).netloc}: {fault}" if unsent else fault
            await wire.broke(fault)
        except OSError:
            fault = "the agent hung up before the end of the answer"
            raise
        except asyncio.CancelledError:
            fault = CUT_OFF
            raise
        finally:
            counts = reading.end()
            call = ModelCall(
                api=api,
                path=asked.path,
                tools=offers_tools(api, asked.body),
                model=counts.model or model_asked(api, asked.path, asked.body),
                status=status,
                duration_s=round(time.monotonic() - began_s, 6),
                input_tokens=counts.read,
                output_tokens=counts.written,
                cached_tokens=counts.cached,
                cache_write_tokens=counts.cache_write,
                fault=fault,
                retry_after_s=retry_after_s,
            )
            self._seen(call, urlsplit(asked.url).hostname not in _LOOPBACK)

    def _sent(self, asked: _Asked) -> _Sending:
        if self._client is None:
            msg = "the proxy is closed"
            raise RuntimeError(msg)
        # Not compressed, so that the proxy can read the token counts.
        headers = [*asked.headers, (b"accept-encoding", b"identity")]
        request = self._client.build_request(asked.method, asked.url, headers=headers, content=asked.body)
        return _Sending(self._client, request)


def _retry_after(header: str) -> float | None:
    """Return the seconds of a `Retry-After`: a number of them, or a date."""
    if header.strip().isdecimal():
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max((at - datetime.now(UTC)).total_seconds(), 0.0) if at.tzinfo else None


class _Sending:
    """A request on its way, and the answer while it is read."""

    def __init__(self, client: httpx2.AsyncClient, request: httpx2.Request) -> None:
        self._client, self._request = client, request
        self._answer: httpx2.Response | None = None

    async def __aenter__(self) -> httpx2.Response:
        self._answer = await self._client.send(self._request, stream=True)
        return self._answer

    async def __aexit__(self, *_raised: object) -> None:
        if self._answer is not None:
            await self._answer.aclose()


class _Wire:
    """One connection of the agent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._http = h11.Connection(h11.SERVER)

    async def request(self) -> h11.Request | None:
        """Wait for the next request; none if the connection ends."""
        event = await self._event()
        return event if isinstance(event, h11.Request) else None

    async def body(self) -> bytes:
        """Read the whole body of a request: it contains the model's name."""
        pieces, size = [], 0
        while isinstance(event := await self._event(), h11.Data):
            pieces.append(bytes(event.data))
            size += len(event.data)
            if size > _MOST_BODY:
                raise h11.RemoteProtocolError("a request of that size is not passed on")
        return b"".join(pieces)

    async def head(self, answer: httpx2.Response) -> None:
        """Pass on an answer's status and headers."""
        headers = [
            (name, value)
            for name, value in answer.headers.raw
            if name.lower().decode("latin-1") not in _HOPS - {"content-length"}
        ]
        await self._send(h11.Response(status_code=answer.status_code, headers=headers))

    async def data(self, piece: bytes) -> None:
        """Pass on a piece of the body."""
        await self._send(h11.Data(data=piece))

    async def end(self) -> None:
        """End the answer."""
        await self._send(h11.EndOfMessage())

    async def refuse(self, status: HTTPStatus, why: str) -> None:
        """Answer with an error of the proxy's own."""
        told = {"type": "setpoint_proxy", "code": int(status), "message": why}
        error = json.dumps({"error": told}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(error)))]
        await self._send(h11.Response(status_code=int(status), headers=headers))
        await self.data(error)
        await self.end()

    async def broke(self, why: str) -> None:
        """Report a missing answer; cut off one that has begun, so that no client takes it for complete."""
        if self._http.our_state is h11.SEND_RESPONSE:
            await self.refuse(HTTPStatus.BAD_GATEWAY, f"the model could not be reached: {why}")
        else:
            raise ConnectionResetError(why)

    def again(self) -> bool:
        """Whether another request may follow."""
        if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
            return False
        self._http.start_next_cycle()
        return True

    async def _event(self) -> type[h11.NEED_DATA | h11.PAUSED] | h11.Event:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                await self._send(h11.InformationalResponse(status_code=100, headers=[]))
            self._http.receive_data(await self._reader.read(_CHUNK))

    async def _send(self, event: h11.Event) -> None:
        self._writer.write(self._http.send(event) or b"")
        await self._writer.drain()
