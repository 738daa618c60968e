"""The stand-ins as the search uses them: run by the engine, and copied into the tests that need them."""

from __future__ import annotations

import ast
import asyncio
import re
import sys
from collections.abc import Collection, Coroutine, Iterable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from .doubles.files import file_with
from .doubles.recorded_network import recorded_network
from .doubles.recorded_processes import recorded_processes
from .doubles.steady_chance import steady_chance
from .doubles.still_clock import still_clock
from .doubles.still_loop import JumpingSelector, StillLoop, run_still
from .limits import TimeUp

_FOLDER = Path(__file__).resolve().parent / "doubles"
_FILES = {
    "run_still": "still_loop.py",
    "still_clock": "still_clock.py",
    "steady_chance": "steady_chance.py",
    "recorded_processes": "recorded_processes.py",
    "recorded_network": "recorded_network.py",
    "file_with": "files.py",
}
FUNCTIONS = {
    each.__name__: each
    for each in (*(run_still, still_clock, steady_chance, recorded_processes, recorded_network, file_with),)
}
"""What tests may call, by name."""
NAMED = {"recorded_processes": "started", "recorded_network": "sent"}
"""What tests call the lists that stand-ins give."""
CLOCK = "still_clock({module})"
CHANCE = "steady_chance(7)"
PROCESSES = (
    "recorded_processes('one\\ntwo\\n')",
    "recorded_processes('')",
    "recorded_processes('bad\\n', 1)",
)
NETWORK = tuple(
    f"recorded_network({text.encode()!r})"
    for text in (
        *('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"a": 1}',),
        *("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", "one\r\ntwo\r\n", ""),
    )
)
ASKS_CLOCK = frozenset(
    ("now", "today", "utcnow", "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "sleep")
)
ASKS_CHANCE = frozenset(("random", "getrandbits", "urandom", "uuid4"))
_QUIET_S = 0.05
"""Seconds without anything to do after which a loop without a timer is taken to wait for ever."""


class _Selector(JumpingSelector):  # type: ignore[misc]  # the stand-ins have no annotations
    def select(self, timeout: float | None = None) -> list[Any]:
        loop = self.loop
        if timeout is not None or loop.jobs or loop.closing:
            return list(super().select(timeout))
        ready: list[Any] = super(JumpingSelector, self).select(_QUIET_S)
        if not ready and not loop.jobs:
            raise TimeUp
        return ready


class WatchedLoop(StillLoop):  # type: ignore[misc]  # as above
    """A still loop that ends where all wait for ever, and knows whether anybody asked for its clock."""

    def __init__(self) -> None:
        self.asked = self.closing = False
        super().__init__(_Selector())

    def time(self) -> float:
        """Return the time, and note who asks for it from outside of asyncio."""
        if not _of_asyncio(sys._getframe(1)):  # noqa: SLF001 - who asks decides
            self.asked = True
        return float(super().time())

    def call_at(self, when: float, callback: Any, *args: Any, **words: Any) -> asyncio.TimerHandle:  # noqa: ANN401 - as asyncio has it
        """Set a timer, and note it."""
        self.asked = True
        timer: asyncio.TimerHandle = super().call_at(when, callback, *args, **words)
        return timer

    async def shutdown_asyncgens(self) -> None:
        """Begin to close: what waits from here on is the loop's own."""
        self.closing = True
        await super().shutdown_asyncgens()


def _of_asyncio(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("asyncio")


def run_watched(coroutine: Coroutine[Any, Any, Any]) -> tuple[Any, bool]:
    """Run a coroutine; gives what it returns, and whether it needs the still clock in a test too."""
    loop = WatchedLoop()
    value = run_still(coroutine, loop)
    return value, loop.asked


class Copied(NamedTuple):
    """Stand-ins as text for a test file."""

    imports: tuple[str, ...]
    """Names of the modules."""
    texts: tuple[str, ...]
    """Definitions, one text for each file."""


def copied(body: str) -> Copied:
    """Return those stand-ins that the text of some tests calls."""
    imports: dict[str, None] = {}
    texts = []
    for name, file in _FILES.items():
        if not re.search(rf"(?<![\w.'\"]){name}\(", body):
            continue
        text = (_FOLDER / file).read_text(encoding="utf-8")
        tree = ast.parse(text)
        found = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        imports.update((ast.unparse(node), None) for node in found)
        first = tree.body[len(found) + 1]
        start = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
        texts.append("\n".join(text.splitlines()[start - 1 :]).strip())
    return Copied(tuple(imports), tuple(texts))


def needed(
    asked: Collection[str], refused: Iterable[str], alias: str, known: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the stand-ins that a call needs which asked for something, or was refused something.

    Those of `known` go first, which answer as tests of the project say.
    """
    found = []
    if ASKS_CLOCK.intersection(asked):
        found.append(CLOCK.format(module=alias))
    if ASKS_CHANCE.intersection(asked):
        found.append(CHANCE)
    events = {event.partition(".")[0] for event in refused}
    if "subprocess" in events:
        found.append(_all_of("recorded_processes", known)[0])
    if "socket" in events:
        found.append(_all_of("recorded_network", known)[0])
    return tuple(found)


def others(double: str, known: Collection[str] = ()) -> tuple[str, ...]:
    """Return stand-ins of the same kind with other answers."""
    return tuple(each for each in _all_of(double.partition("(")[0], known) if each != double)


def _all_of(name: str, known: Collection[str]) -> list[str]:
    return [each for each in (*known, *PROCESSES, *NETWORK) if each.startswith(f"{name}(")]


def whence(doubles: Iterable[str], known: Mapping[str, str]) -> str:
    """Say where the answers of stand-ins for processes and servers come from; empty where there are none."""
    answering = [each for each in doubles if each.partition("(")[0] in NAMED]
    files = [known[each] for each in answering if each in known]
    if not answering:
        return ""
    told = f"answers as in `{files[0]}`" if files else ""
    made_up = "the answer is made up" if len(files) < len(answering) else ""
    return "; ".join(filter(None, (told, made_up)))


def shown(double: str) -> str:
    """Write a stand-in as `with` names it."""
    name = NAMED.get(double.partition("(")[0])
    return f"{double} as {name}" if name else double
