"""Tool calls of an agent, put together from the pieces in which it tells of them."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp.schema import ToolCallProgress, ToolCallStart, ToolCallUpdate

from setpoint.agents.launch import Quirks
from setpoint.domain.attempt import ToolCall

Piece = ToolCallStart | ToolCallProgress | ToolCallUpdate
"""What an agent says of a call: its start, news of it, or the question whether it is allowed."""
_TITLE_CHARS = 500


@dataclass(kw_only=True)
class _Seen:
    """A call as far as it was told."""

    began_s: float
    kind: str = "other"
    title: str = ""
    name: str = ""
    status: str = ""
    input: Any = None
    output: Any = None
    paths: dict[str, None] = field(default_factory=dict)
    """In the order they were named, each once."""
    done: bool = False


class Calls:
    """All tool calls of one attempt."""

    def __init__(self, workdir: Path, quirks: Quirks, finished: Callable[[ToolCall], None]) -> None:
        """Tell each finished call to `finished`, once."""
        self.count = 0
        """Finished calls."""
        self.errors = 0
        """Those of them that failed."""
        self._workdir = workdir.resolve()
        self._quirks = quirks
        self._finished = finished
        self._seen: dict[str, _Seen] = {}

    def told(self, piece: Piece) -> None:
        """Merge what the agent says of a call; the first piece may be of any kind."""
        seen = self._seen.setdefault(piece.tool_call_id, _Seen(began_s=time.monotonic()))
        if seen.done:
            return
        seen.kind = piece.kind or seen.kind
        seen.title = piece.title or seen.title
        seen.status = piece.status or seen.status
        seen.name = self._name(piece) or seen.name
        seen.input = seen.input if piece.raw_input is None else piece.raw_input
        seen.paths.update(dict.fromkeys(location.path for location in piece.locations or ()))
        for block in piece.content or ():
            if block.type == "diff":
                seen.paths[block.path] = None
        if piece.raw_output is not None:
            seen.output = piece.raw_output
        elif piece.content:
            seen.output = [block.model_dump(mode="json", exclude_none=True) for block in piece.content]
        if seen.status in ("completed", "failed"):
            self._finish(piece.tool_call_id, seen, ok=seen.status == "completed")

    def cancel_open(self) -> None:
        """Fail the calls that never ended: agents leave them open when a turn is cancelled."""
        for identifier, seen in self._seen.items():
            if not seen.done:
                seen.output = "cancelled"
                self._finish(identifier, seen, ok=False)

    def kind(self, piece: Piece) -> str:
        """Give a call's kind as far as it is known."""
        return self._seen[piece.tool_call_id].kind

    def outside(self, piece: Piece) -> tuple[str, ...]:
        """Give those of a call's paths that lie outside the work copy, links followed."""
        paths = self._seen[piece.tool_call_id].paths
        return tuple(
            path for path in paths if not (self._workdir / path).resolve().is_relative_to(self._workdir)
        )

    def _finish(self, identifier: str, seen: _Seen, *, ok: bool) -> None:
        seen.done = True
        self.count += 1
        self.errors += not ok
        name = seen.name or seen.kind
        call = ToolCall(
            id=identifier,
            name=name,
            kind=seen.kind,
            title=seen.title[:_TITLE_CHARS],
            ok=ok,
            duration_s=round(time.monotonic() - seen.began_s, 6),
            files=tuple(dict.fromkeys(self._relative(path) for path in seen.paths)),
            result_hash=_hash([name, seen.input, seen.output, ok]) if seen.input or seen.output else "",
        )
        self._finished(call)

    def _name(self, piece: Piece) -> str:
        found = at_path(piece.field_meta, self._quirks.tool_name_meta)
        if isinstance(found, str):
            return found
        if self._quirks.tool_name_in_id:
            match = re.search(self._quirks.tool_name_in_id, piece.tool_call_id)
            return match.group(1) if match else ""
        return ""

    def _relative(self, path: str) -> str:
        full = (self._workdir / path).resolve()
        return str(full.relative_to(self._workdir)) if full.is_relative_to(self._workdir) else str(full)


def at_path(data: object, dotted: str) -> object:
    """Give what lies at a dotted path in nested objects; none where nothing does."""
    if not dotted:
        return None
    for key in dotted.split("."):
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _hash(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]
