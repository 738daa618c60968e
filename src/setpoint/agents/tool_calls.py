"""Assemble the tool calls of an agent from the pieces that it reports, in any protocol."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from setpoint.model.attempt import ToolCall

_TITLE_CHARS = 500
_MOST_TELLINGS = 3
"""How many beginnings of one call are reported at most: agents name a call again while they write it."""


@dataclass(kw_only=True)
class PartialCall:
    """A call as far as it was reported."""

    began_s: float
    kind: str = "other"
    title: str = ""
    name: str = ""
    input: Any = None
    output: Any = None
    paths: dict[str, None] = field(default_factory=dict)
    """In the order they were named, each once."""
    told: str | None = None
    """The title under which its beginning was reported last."""
    tellings: int = 0
    refused: str = ""
    done: bool = False


class CallBook:
    """All tool calls of one attempt, by the agent's own identifiers."""

    def __init__(
        self,
        workdir: Path,
        finished: Callable[[ToolCall], None],
        begun: Callable[[ToolCall], None] = lambda _: None,
    ) -> None:
        """Pass each finished call to `finished`, once, and each that begins to `begun`."""
        self.count = 0
        """Finished calls."""
        self.errors = 0
        """Those of them that failed."""
        self.cancelled = False
        """Whether the turn is being cancelled: a call that ends from now on was cut short."""
        self._workdir = workdir.resolve()
        self._finished, self._begun = finished, begun
        self._seen: dict[str, PartialCall] = {}

    def get(self, identifier: str) -> PartialCall | None:
        """Return an open call; none if it has ended, so that a call reported twice counts once."""
        seen = self._seen.setdefault(identifier, PartialCall(began_s=time.monotonic()))
        return None if seen.done else seen

    def begin(self, identifier: str) -> None:
        """Tell that a call begins, and again where its title was made clearer meanwhile."""
        seen = self.get(identifier)
        if seen is None or self.cancelled or seen.told == seen.title or seen.tellings >= _MOST_TELLINGS:
            return
        seen.told, seen.tellings = seen.title, seen.tellings + 1
        self._begun(self._call(identifier, seen))

    def end(self, identifier: str, *, ok: bool, duration_s: float | None = None, timed: bool = True) -> None:
        """Record the end of a call; measure its duration if the agent does not report it.

        A call that was reported only after its end cannot be `timed`: its duration is unknown then.
        """
        seen = self.get(identifier)
        if seen is None:
            return
        if self.cancelled:
            seen.output, ok = "cancelled", False
        seen.done = True
        self.count += 1
        ok = ok and not seen.refused
        self.errors += not ok and not seen.refused
        if duration_s is None and timed:
            duration_s = time.monotonic() - seen.began_s
        told = seen.input or seen.output
        ended = {
            "ok": ok,
            "duration_s": None if duration_s is None else round(duration_s, 6),
            "result_hash": _hash([seen.name or seen.kind, seen.input, seen.output, ok]) if told else "",
        }
        self._finished(self._call(identifier, seen).model_copy(update=ended))

    def refuse(self, identifier: str, reason: str) -> None:
        """Note why a call is not allowed; it counts as refused, and not as an error of the agent."""
        if (seen := self.get(identifier)) is not None:
            seen.refused = reason

    def cancel_open(self) -> None:
        """Fail the calls that never ended: agents leave them open when a turn is cancelled."""
        self.cancelled = True
        for identifier in tuple(self._seen):
            self.end(identifier, ok=False)

    @property
    def is_busy(self) -> bool:
        """Whether a call has begun and not ended."""
        return any(not seen.done for seen in self._seen.values())

    def kind_of(self, identifier: str) -> str:
        """Return a call's kind as far as it is known."""
        return self._seen[identifier].kind

    def paths_outside(self, identifier: str) -> tuple[str, ...]:
        """Return those of a call's paths that lie outside the work copy, links followed."""
        paths: Iterable[str] = self._seen[identifier].paths
        return tuple(path for path in paths if not self._within(self._real(path)))

    def _call(self, identifier: str, seen: PartialCall) -> ToolCall:
        return ToolCall(
            id=identifier,
            name=seen.name or seen.kind,
            kind=seen.kind,
            title=seen.title[:_TITLE_CHARS],
            refused=seen.refused,
            files=tuple(dict.fromkeys(self._relative(path) for path in seen.paths)),
        )

    def _relative(self, path: str) -> str:
        full = self._real(path)
        if full is None:
            return path
        return str(full.relative_to(self._workdir)) if self._within(full) else str(full)

    def _within(self, full: Path | None) -> bool:
        return full is not None and full.is_relative_to(self._workdir)

    def _real(self, path: str) -> Path | None:
        """Follow links; none for what no file can be called, such as a name with a NUL in it."""
        try:
            return Path(os.path.realpath(self._workdir / path))
        except ValueError:
            return None


def _hash(parts: list[Any]) -> str:
    try:
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]
    except RecursionError:  # nested too deeply to be written: nothing by which it could be recognised
        return ""
