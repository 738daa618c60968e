"""What a scripted model does, and how its provider fails, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from setpoint.errors import SettingsError
from setpoint.model.value import Value


class Read(Value):
    """Read a file with the agent's own tool."""

    read: str
    """Path in the work copy."""


class Write(Value):
    """Write a file with the agent's own tool."""

    write: str
    """Path."""
    text: str


class Shell(Value):
    """Run a shell command."""

    shell: str


class Use(Value):
    """Call a tool of the agent by name."""

    use: tuple[str, ...]
    """Names; the first one that the agent offers is called."""
    arguments: dict[str, str] = {}
    """Its arguments; those that its schema does not know are left out."""


class Say(Value):
    """End the turn with a text."""

    say: str


Step = Read | Write | Shell | Use | Say


class Conversation(Value):
    """Steps of a conversation of its own, such as that of a subagent."""

    when: str
    """A text in the messages that open the conversation."""
    steps: tuple[Step, ...]


FaultKind = Literal["status", "overflow", "cut", "hang", "drop", "down", "slow"]


class Fault(Value):
    """One way in which the provider of the model fails.

    | kind | what the agent meets |
    |---|---|
    | `status` | an HTTP error, in the provider's own form |
    | `overflow` | the error of a conversation that is too long, in the provider's own words |
    | `cut` | an answer that breaks off after `after` events, or after `after_bytes` bytes |
    | `hang` | no answer, for `seconds` or until the server ends |
    | `drop` | a connection that is closed without an answer |
    | `down` | as `drop`; then nothing listens for `seconds` |
    | `slow` | the right answer, `seconds` late |
    """

    kind: FaultKind
    step: int = Field(default=0, ge=0)
    """The fault meets requests for this step, counted from 0 in each conversation."""
    and_later: bool = False
    """Also those for a later step."""
    times: int | None = Field(default=None, ge=1)
    """Most requests that meet it; none: no limit."""
    lasts_s: float | None = Field(default=None, ge=0)
    """Seconds from the first request that meets it to its end; none: no end."""
    status: int = Field(default=500, ge=400, le=599)
    """For `status`: 401, 403, 429, 500, 503, 529, ..."""
    retry_after_s: int | None = Field(default=None, ge=0)
    """For `status`: seconds in the header `Retry-After`."""
    resets_in_s: int | None = Field(default=None, ge=0)
    """For `status`: seconds to the end of the limit, in the header or field of each provider."""
    after: int | None = Field(default=None, ge=0)
    """For `cut`: events that are sent."""
    after_bytes: int | None = Field(default=None, ge=0)
    """For `cut`: bytes that are sent."""
    seconds: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.kind in ("down", "slow") and self.seconds is None:
            raise ValueError(f"a fault of kind '{self.kind}' needs `seconds`")
        if self.kind == "cut" and (self.after is None) == (self.after_bytes is None):
            raise ValueError("a fault of kind 'cut' needs either `after` or `after_bytes`")
        return self


class Scenario(Value):
    """A script: which step is due follows from the conversation alone, so the model keeps no state."""

    steps: tuple[Step, ...] = ()
    """Steps of every conversation that no other entry describes; after the last one it says "All done."."""
    conversations: tuple[Conversation, ...] = ()
    faults: tuple[Fault, ...] = ()
    """The first one that fits a request holds."""
    without_tools: str = "A short title"
    """Answer where no tools are offered: for a title or a summary, and to agents that read edits."""
    own_tools: bool = True
    """Whether files are read and written with the agent's tools; else by shell commands."""

    def steps_of(self, opening: str) -> tuple[Step, ...]:
        """Return the steps of the conversation that begins with these messages."""
        for conversation in self.conversations:
            if conversation.when in opening:
                return conversation.steps
        return self.steps

    @classmethod
    def read(cls, path: Path) -> Scenario:
        """Read a scenario from a TOML file; raises `SettingsError` if it cannot be read as one."""
        try:
            data: Mapping[str, Any] = tomllib.loads(path.read_text("utf-8"))
            return cls.model_validate(data)
        except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
            hint = "see docs/how-to/scripted-model.md for what a scenario contains"
            raise SettingsError(f"{path} cannot be read as a scenario: {error}", hint=hint) from error
