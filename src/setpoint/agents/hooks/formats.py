"""The wire formats of agents' hooks, read from `formats.toml`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from setpoint.errors import UsageError
from setpoint.model.hooks import Answer

Json = Mapping[str, object]
_PROMPT_S = 30.0


@dataclass(frozen=True, kw_only=True)
class HookFormat:
    """How one agent calls hooks; `formats.toml` explains each key."""

    title: str
    file: str
    stop: str
    prompt: str
    shape: Literal["grouped", "flat"]
    second: int
    session: str
    folder: str
    text: str
    block: Json
    note: Json
    next: str
    entry: Json = field(default_factory=dict)
    top: Json = field(default_factory=dict)
    finished: Json = field(default_factory=dict)
    loops: str = ""

    def entries(self, program: str, agent: str, limit_s: float, most: int) -> dict[str, Json]:
        """Return the entry by event that makes the agent call `program`.

        A stop may take `limit_s` seconds, and sends the agent back `most` times. Exit codes are hidden: some
        agents read 2 as an order to continue, and nothing but the answer of Setpoint may say that.
        """
        stop, prompt = (f"{program} hook {verb} {agent} || true" for verb in ("stop", "prompt"))
        loops = {self.loops: most} if self.loops else {}
        return {
            self.stop: {**self.entry, "command": stop, "timeout": round(limit_s * self.second), **loops},
            self.prompt: {**self.entry, "command": prompt, "timeout": round(_PROMPT_S * self.second)},
        }

    def written(self, answer: Answer) -> str:
        """Write an answer as the agent reads it, on one line."""
        shape = self.block if answer.block else self.note
        if not answer.text:
            shape = {}
        return json.dumps({key: answer.text if value == "{text}" else value for key, value in shape.items()})

    def read(self, raw: bytes) -> HookMessage:
        """Read what the agent sends; raises `UsageError` where it is not a JSON object."""
        try:
            sent = json.loads(raw)
        except ValueError as error:
            raise UsageError(f"{self.title} sent no JSON to its hook: {error}") from None
        if not isinstance(sent, dict):
            raise UsageError(f"{self.title} sent {type(sent).__name__} to its hook, not an object")
        folder = sent.get(self.folder)
        if isinstance(folder, list):
            folder = folder[0] if folder else ""
        return HookMessage(
            session=_text(sent.get(self.session)),
            folder=_text(folder),
            prompt=_text(sent.get(self.text)),
            finished=all(sent.get(key, value) == value for key, value in self.finished.items()),
        )


@dataclass(frozen=True, kw_only=True)
class HookMessage:
    """What an agent sends to a hook."""

    session: str
    """Names the session; empty where the agent does not."""
    folder: str
    """The folder it works in; empty where it names none."""
    prompt: str
    """The prompt of the user, at the event of a prompt."""
    finished: bool
    """Whether the agent ended its turn by itself; the user may have interrupted it."""


def formats() -> dict[str, HookFormat]:
    """Return every known format by the name of its agent."""
    text = Path(__file__).with_name("formats.toml").read_text("utf-8")
    return {name: HookFormat(**table) for name, table in tomllib.loads(text).items()}


def format_of(agent: str) -> HookFormat:
    """Return the format of an agent; raises `UsageError` where none is known."""
    known = formats()
    if agent not in known:
        raise UsageError(f"no hooks are known for '{agent}'", hint=f"one of {', '.join(known)}, git")
    return known[agent]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
