"""The durable engine in memory, for tests: it crashes on demand and continues like the real one."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import TypeVar

from setpoint.errors import RecordedDataError
from setpoint.model.value import Value

T = TypeVar("T", bound=Value)

_WAIT = "wait:"


class Crash(BaseException):
    """Stands for the sudden death of the process; nothing in a loop may catch it."""


class InlineDurable:
    """Remembers what each step gave; the same instance handed to a loop again continues where it stopped.

    Results pass through JSON on their way in and out, so what cannot be recorded fails here as it would in a
    database. After a `Crash` the loop can be driven again at once; in all other cases call `resume` before.
    """

    def __init__(self) -> None:
        """Begin with nothing recorded."""
        self.calls: list[str] = []
        """Every step that was really begun, in order; a step done twice appears twice."""
        self._order: list[str] = []
        self._seen: list[str] = []
        self._recorded: dict[str, str] = {}
        self._messages: defaultdict[str, list[str]] = defaultdict(list)
        self._keys: set[tuple[str, str]] = set()
        self._arrived = asyncio.Event()
        self._crashes: set[tuple[str, str]] = set()

    @property
    def steps(self) -> tuple[str, ...]:
        """Names of the finished steps, in the order in which they finished; waits are left out."""
        return tuple(name for name in self._recorded if not name.startswith(_WAIT))

    def crash(self, *, before: str = "", after: str = "") -> None:
        """Die, once, when the named step is about to be done, or when it is done and recorded."""
        if before:
            self._crashes.add(("before", before))
        if after:
            self._crashes.add(("after", after))

    def resume(self) -> None:
        """Get ready to drive the loop from its start again, as a new process would."""
        self._seen = []
        self._arrived = asyncio.Event()

    def send(self, topic: str, message: Value, key: str = "") -> None:
        """Answer a `wait_for`, now or later; a second message with the same key is dropped."""
        if key and (topic, key) in self._keys:
            return
        self._keys.add((topic, key))
        self._deliver(topic, message.model_dump_json())

    def expire(self, topic: str) -> None:
        """Let the time of a `wait_for` be up, now or later, without waiting for it."""
        self._deliver(topic, "")

    async def step(self, name: str, act: Callable[[], Awaitable[T]], returning: type[T]) -> T:
        """Do something once, or give what it gave before; what raises is not recorded."""
        self._take(name)
        if name not in self._recorded:
            self._die("before", name)
            self.calls.append(name)
            self._recorded[name] = (await act()).model_dump_json()
            self._die("after", name)
        return returning.model_validate_json(self._recorded[name])

    async def wait_for(self, topic: str, returning: type[T], *, timeout_s: float) -> T | None:
        """Wait for `send`; none when the time is up. What came is recorded like a step."""
        before = f"{_WAIT}{topic}#"
        name = f"{before}{1 + sum(seen.startswith(before) for seen in self._seen)}"
        self._take(name)
        if name not in self._recorded:
            self._die("before", f"{_WAIT}{topic}")
            self._recorded[name] = await self._next(topic, timeout_s)
        raw = self._recorded[name]
        return returning.model_validate_json(raw) if raw else None

    def _deliver(self, topic: str, raw: str) -> None:
        self._messages[topic].append(raw)
        self._arrived.set()

    async def _next(self, topic: str, timeout_s: float) -> str:
        try:
            async with asyncio.timeout(timeout_s):
                while not self._messages[topic]:
                    self._arrived.clear()
                    await self._arrived.wait()
        except TimeoutError:
            return ""
        return self._messages[topic].pop(0)

    def _take(self, name: str) -> None:
        place = len(self._seen)
        if name in self._seen:
            message = f"step {name!r} is done twice in one run; give each step of a run its own name"
            raise ValueError(message)
        if place < len(self._order) and self._order[place] != name and self._unfinished(self._order[place]):
            del self._order[place:]  # what was begun and never recorded binds nobody, as in the real engine
        if place < len(self._order) and self._order[place] != name:
            message = f"step {place + 1} of the run was {self._order[place]!r} and is now {name!r}"
            raise RecordedDataError(message, hint="let the loop branch on nothing but what its steps gave")
        self._seen.append(name)
        if place == len(self._order):
            self._order.append(name)

    def _unfinished(self, name: str) -> bool:
        return name not in self._recorded and not name.startswith(_WAIT)

    def _die(self, when: str, name: str) -> None:
        if (when, name) in self._crashes:
            self._crashes.remove((when, name))
            self.resume()
            raise Crash(name)
