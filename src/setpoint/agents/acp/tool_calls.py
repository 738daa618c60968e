"""Assemble tool calls of the Agent Client Protocol from pieces of three kinds in any order."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from acp.schema import ToolCallProgress, ToolCallStart, ToolCallUpdate

from setpoint.agents.launch import Quirks
from setpoint.agents.tool_calls import CallBook
from setpoint.model.attempt import ToolCall

Piece = ToolCallStart | ToolCallProgress | ToolCallUpdate
"""Message of an agent about a call: its start, an update, or the request for permission."""


class Calls(CallBook):
    """All tool calls of one attempt over ACP."""

    def __init__(
        self,
        workdir: Path,
        quirks: Quirks,
        finished: Callable[[ToolCall], None],
        begun: Callable[[ToolCall], None],
    ) -> None:
        """Pass each finished call to `finished`, once, and each that begins to `begun`."""
        super().__init__(workdir, finished, begun)
        self._quirks = quirks

    def told(self, piece: Piece) -> None:
        """Merge a message about a call; the first one may be of any kind."""
        seen = self.get(piece.tool_call_id)
        if seen is None:
            return
        seen.kind = piece.kind or seen.kind
        seen.title = piece.title or seen.title
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
        if piece.status in ("completed", "failed"):
            self.end(piece.tool_call_id, ok=piece.status == "completed")
        else:
            self.begin(piece.tool_call_id)

    def kind(self, piece: Piece) -> str:
        """Return a call's kind as far as it is known."""
        return self.kind_of(piece.tool_call_id)

    def outside(self, piece: Piece) -> tuple[str, ...]:
        """Return those of a call's paths that lie outside the work copy, links followed."""
        return self.paths_outside(piece.tool_call_id)

    def _name(self, piece: Piece) -> str:
        found = at_path(piece.field_meta, self._quirks.tool_name_meta)
        if isinstance(found, str):
            return found
        if self._quirks.tool_name_in_id:
            match = re.search(self._quirks.tool_name_in_id, piece.tool_call_id)
            return match.group(1) if match else ""
        return ""


def at_path(data: object, dotted: str) -> object:
    """Return what lies at a dotted path in nested objects; none where nothing does."""
    if not dotted:
        return None
    for key in dotted.split("."):
        data = data.get(key) if isinstance(data, dict) else None
    return data
