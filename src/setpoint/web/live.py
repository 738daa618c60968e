"""Telling open pages which state there is: one feed for all streams, woken by what any process writes."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable, Iterator
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from fastapi import HTTPException, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.routing import APIRoute
from starlette.types import Receive, Scope, Send

from setpoint.app.views.live.changes import ProjectChanges
from setpoint.errors import SetpointError

PAUSE_S = 0.05
"""Seconds between a sign of a change and the look at it: a commit is visible a moment after it is written."""
PAUSE_TIMES = 4
"""The pause in times of what the last look took, where that is longer."""
LOOK_S = 1.0
"""Seconds to the look after that, and between all looks where nothing reports commits."""
REST_S = 15.0
"""Seconds after which a mark is made again and repeated: time changes some, and proxies end silent ones."""
MOST_STREAMS = 256
"""Streams at once; a page has one."""
Made = TypeVar("Made")
_CSRF = secrets.token_hex(32)


@dataclass(eq=False)
class _Topic:
    """What some streams are about."""

    make: Callable[[], str]
    streams: int = 0
    mark: str | None = None
    """The newest that its streams say; empty when they are to end."""
    seen: object = None
    """The state at which it was made."""
    at: float = field(default_factory=time.monotonic)
    turn: asyncio.Event = field(default_factory=asyncio.Event)

    def say(self, mark: str) -> None:
        """Let every stream say a mark, also one that it has said."""
        self.mark, self.at = mark, time.monotonic()
        before, self.turn = self.turn, asyncio.Event()
        before.set()


class Feed:
    """Makes each mark once for all of its streams when something changed; without streams it does nothing."""

    def __init__(self, changes: ProjectChanges) -> None:
        """Follow the changes of a project."""
        self.count, self._closed = 0, False
        self._changes, self._files = changes, changes.files
        self._signs, self._fresh, self._woken = 0, False, asyncio.Event()
        self._topics: dict[str, _Topic] = {}
        self._making: dict[Hashable, asyncio.Future[Any]] = {}
        self._watching: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Look soon: something has changed."""
        self._signs += 1
        self._woken.set()

    def close(self) -> None:
        """End all streams."""
        self._closed = True
        for topic in self._topics.values():
            topic.say("")

    async def shared(self, what: Hashable, make: Callable[[], Awaitable[Made]]) -> Made:
        """Make something; who asks for it meanwhile, while nothing was committed, gets the same."""
        key = (await asyncio.to_thread(self._changes.commits), what)
        if key not in self._making:
            self._making[key] = asyncio.ensure_future(make())
            self._making[key].add_done_callback(lambda _: self._making.pop(key))
        made: Made = await asyncio.shield(self._making[key])
        return made

    @contextmanager
    def topic(self, what: str, make: Callable[[], str]) -> Iterator[_Topic]:
        """Take the place of one stream; refused where all are taken."""
        if self._closed or self.count >= MOST_STREAMS:
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE, "too many pages are open")
        topic = self._topics.setdefault(what, _Topic(make))
        topic.streams += 1
        self.count += 1
        if self._watching is None:
            self._watching = asyncio.create_task(self._watch())
        try:
            yield topic
        finally:
            self.count -= 1
            topic.streams -= 1
            if not topic.streams:
                del self._topics[what]
            if not self._topics:
                self._woken.set()

    async def _watch(self) -> None:
        loop, descriptor = asyncio.get_running_loop(), self._files.descriptor
        if descriptor >= 0:
            loop.add_reader(descriptor, self._written)
        try:
            while self._topics:
                watched, began = self._files.watch(), time.monotonic()
                await self._look(began, watched=watched)
                patience = REST_S if watched and self._changes.in_files and not self._fresh else LOOK_S
                await self._rest(patience, time.monotonic() - began)
        finally:
            self._watching = None
            if descriptor >= 0:
                loop.remove_reader(descriptor)
            for topic in self._topics.values():  # only after a fault: pages ask for new streams
                topic.say("")

    async def _look(self, now: float, *, watched: bool) -> None:
        state = (await asyncio.to_thread(self._changes.commits), self._signs)
        for topic in tuple(self._topics.values()):
            due = now - topic.at >= REST_S
            if due or topic.seen != state or not watched:
                topic.seen = state
                try:
                    mark = await asyncio.to_thread(topic.make)
                except SetpointError:  # a new stream is answered with the reason
                    mark = ""
                if due or mark != topic.mark:
                    topic.say(mark)

    async def _rest(self, patience: float, looked_s: float) -> None:
        self._fresh = False
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), patience)
            self._woken.clear()
            self._fresh = True
            await asyncio.sleep(max(PAUSE_S, PAUSE_TIMES * looked_s))

    def _written(self) -> None:
        self._files.forget()
        self.wake()


class MarkStream(Response):
    """Says, as server-sent events, which mark a page would carry now: at once, and when it changes."""

    def __init__(self, feed: Feed, what: str, make: Callable[[], str]) -> None:
        """Follow what `make` gives; whoever follows the same `what` shares it."""
        super().__init__()
        self._feed, self._what, self._make = feed, what, make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold a place for as long as the stream is open."""
        with self._feed.topic(self._what, self._make) as topic:
            turn = topic.turn
            first = await self._feed.shared(self._what, partial(asyncio.to_thread, self._make))
            said = StreamingResponse(_said(topic, turn, first), media_type="text/event-stream")
            await said(scope, receive, send)


async def _said(topic: _Topic, turn: asyncio.Event, mark: str | None) -> AsyncIterator[str]:
    while mark:
        yield f"event: mark\ndata: {mark}\n\n"
        await turn.wait()
        turn, mark = topic.turn, topic.mark


class SharedRoute(APIRoute):
    """Shows a page; all who ask for it while it is made, and may do as much, get the same one."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        made = super().get_route_handler()

        async def answered(request: Request) -> Response:
            visitor = request.state.visitor
            if visitor is None or self.methods != {"GET"}:
                return await made(request)
            # The token against forged requests is each visitor's own, and as long as what stands for it.
            anyone = replace(visitor, csrf=_CSRF if visitor.csrf else "")
            scope = {**request.scope, "state": {**request.scope["state"], "visitor": anyone}}
            key = (str(request.url), request.headers.get("accept"), anyone)
            feed: Feed = request.app.state.desk.feed
            answer = copy(await feed.shared(key, partial(made, Request(scope, request.receive))))
            answer.raw_headers = [*answer.raw_headers]  # others add to theirs
            answer.body = bytes(answer.body).replace(_CSRF.encode(), visitor.csrf.encode())
            return answer

        return answered
