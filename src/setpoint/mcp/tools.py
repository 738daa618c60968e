"""The tools by name: the function of each, and its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mcp import types
from pydantic import ValidationError

from setpoint.errors import UsageError
from setpoint.mcp import measured, recorded
from setpoint.mcp.material import Reply
from setpoint.mcp.session import Call
from setpoint.model.value import Value


class _Kind(NamedTuple):
    """A tool."""

    function: Callable[[Call, Any], Reply]
    reads_only: bool = True
    """Clients may call it without asking the person; false for what runs code of the project."""

    @property
    def arguments(self) -> type[Value]:
        """The class of its arguments."""
        (_, parameter) = inspect.signature(self.function, eval_str=True).parameters.values()
        kind: type[Value] = parameter.annotation
        return kind


_TOOLS: Mapping[str, _Kind] = {
    "check": _Kind(measured.check, reads_only=False),
    "findings": _Kind(measured.findings),
    "explain_failure": _Kind(measured.explain_failure),
    "recall": _Kind(measured.recall),
    "record_feedback": _Kind(recorded.record_feedback, reads_only=False),
    "story_status": _Kind(recorded.story_status),
    "start_run": _Kind(recorded.start_run, reads_only=False),
    "run_status": _Kind(recorded.run_status),
    "open_questions": _Kind(recorded.open_questions),
}


def listed() -> list[types.Tool]:
    """Return the tools as the protocol describes them."""
    return [_described(name, kind) for name, kind in _TOOLS.items()]


def called(call: Call, name: str, given: Mapping[str, Any]) -> Reply:
    """Call a tool; `UsageError` for one that does not exist and for arguments that do not fit."""
    if name not in _TOOLS:
        raise UsageError(f"there is no tool '{name}'", hint=f"there are {', '.join(_TOOLS)}")
    try:
        arguments = _TOOLS[name].arguments.model_validate(given)
    except ValidationError as error:
        wrong = "; ".join(
            f"'{'.'.join(map(str, each['loc']))}': {each['msg'].lower()}" for each in error.errors()
        )
        known = ", ".join(_TOOLS[name].arguments.model_fields) or "none"
        raise UsageError(f"{name}: {wrong}", hint=f"its arguments: {known}") from None
    return _TOOLS[name].function(call, arguments)


def _described(name: str, kind: _Kind) -> types.Tool:
    schema = kind.arguments.model_json_schema()
    schema.pop("title", None)
    schema.pop("description", None)
    for each in schema.get("properties", {}).values():
        each.pop("title", None)
    hints = types.ToolAnnotations(
        read_only_hint=kind.reads_only, destructive_hint=False, open_world_hint=name == "start_run"
    )
    return types.Tool(
        name=name, description=inspect.getdoc(kind.function), input_schema=schema, annotations=hints
    )
