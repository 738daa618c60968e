"""Every tool call of a model is seen: timed, reported, and counted against going in circles."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai import RunContext, WrapperToolset
from pydantic_ai.toolsets import ToolsetTool

from setpoint.agents.model_api.file_tools import Refused
from setpoint.agents.spending.meter import UsageMeter
from setpoint.model.attempt import ToolCall
from setpoint.ports import Observer

KINDS = {
    "list_files": "search",
    "search": "search",
    "read_file": "read",
    "show_change": "read",
    "write_file": "edit",
    "replace_text": "edit",
    "delete_file": "delete",
}
"""Kind of each tool, as the Agent Client Protocol names them."""


class Halted(Exception):
    """The turn is ended from outside: its money is gone, or the model goes in circles."""


@dataclass
class AttemptCounts:
    """Observations of one attempt."""

    observer: Observer
    spending: UsageMeter
    calls: int = 0
    errors: int = 0
    sent: int = 0
    """Requests to the model that were begun and not refused; one without an answer may cost as well."""

    def called(self, call: ToolCall) -> None:
        """Record a finished call; raises `Halted` if the model repeats itself."""
        self.calls += 1
        self.errors += call.ok is False
        if self.observer.called(call):
            raise Halted


@dataclass
class Watched(WrapperToolset[None]):
    """Tools whose calls an observer receives; the model receives refusals as answers."""

    seen: AttemptCounts = field(kw_only=True)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> Any:  # noqa: ANN401 - as the library has it
        """Make a call and report it."""
        began_s = time.monotonic()
        begun = ToolCall(
            id=str(ctx.tool_call_id or self.seen.calls + 1),
            name=name,
            kind=KINDS.get(name, "other"),
            title=_title(name, tool_args),
            files=(str(tool_args["path"]),) if tool_args.get("path") else (),
        )
        self.seen.observer.began(begun)
        try:
            answer, ok = str(await super().call_tool(name, tool_args, ctx, tool)), True
        except Refused as refused:
            answer, ok = f"[refused] {refused}", False
        ended = {
            "ok": ok,
            "duration_s": round(time.monotonic() - began_s, 6),
            "result_hash": _hash(name, tool_args, answer),
        }
        self.seen.called(begun.model_copy(update=ended))
        return answer


def _title(name: str, arguments: Mapping[str, Any]) -> str:
    shown = next((str(arguments[key]) for key in ("path", "text", "folder") if arguments.get(key)), "")
    return f"{name} {shown[:200]}".strip()


def _hash(name: str, arguments: Mapping[str, Any], answer: str) -> str:
    whole = json.dumps([name, arguments, answer], sort_keys=True, default=str)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
