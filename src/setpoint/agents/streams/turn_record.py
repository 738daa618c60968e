"""What a command reported about its turn: tool calls, text, figures, its session, and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from setpoint.agents.tool_calls import CallBook
from setpoint.model.attempt import Stop, ToolCall, Usage

Json = Mapping[str, Any]
"""An event of a stream: the agent's own shape, at the edge."""
KINDS = {
    **dict.fromkeys(("read", "read_file", "read_many_files", "view", "notebookread"), "read"),
    **dict.fromkeys(("write", "write_file", "edit", "multiedit", "replace", "patch", "apply_patch"), "edit"),
    **dict.fromkeys(("notebookedit", "file_change", "create", "str_replace"), "edit"),
    **dict.fromkeys(
        ("grep", "glob", "ls", "list", "find", "list_directory", "search_file_content"), "search"
    ),
    **dict.fromkeys(("bash", "shell", "run_shell_command", "command_execution", "exec_command"), "execute"),
    **dict.fromkeys(("webfetch", "web_fetch", "websearch", "web_search", "google_web_search"), "fetch"),
    **dict.fromkeys(("task", "todowrite", "todo_list", "write_todos", "think"), "think"),
}
"""Kind of a call by the tool's name in small letters; others are `other`."""
_PATH_KEYS = ("file_path", "filePath", "absolute_path", "notebook_path", "path")
_TITLE_KEYS = (*_PATH_KEYS, "command", "pattern", "query", "url", "description")
_WITH_FILES = frozenset({"read", "edit", "delete", "move"})
_TEXT_CHARS = 200_000
_MOST = 10**15


@dataclass(frozen=True, kw_only=True)
class Failure:
    """An error that the agent reported in an error event."""

    message: str
    data: object = None
    """The data of the error event."""


class Tally:
    """Records what a reader finds; figures are those of the current turn."""

    def __init__(
        self,
        workdir: Path,
        *,
        called: Callable[[ToolCall], None],
        spent: Callable[[Usage], None],
        begun: Callable[[ToolCall], None] = lambda _: None,
        said: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Pass on each call that begins or is finished, each new figure, and each piece of text."""
        self.calls = CallBook(workdir, called, begun)
        self.events = 0
        """How many events came."""
        self.session = ""
        """The agent's own name of the session, for resuming it."""
        self.version = ""
        self.model = ""
        """The model that the agent names; empty if it names none."""
        self.stop = Stop.END_TURN
        self.failure: Failure | None = None
        """Why the turn failed; words the agent said are never a failure."""
        self.last = ""
        """What was taken note of last: `say` or `call`."""
        self.trouble: Failure | None = None
        """What it is trying to get over at the moment, such as a model that does not answer."""
        self.hopeless = False
        """Whether the agent tries again and again what cannot come to anything."""
        self.session_cost: Decimal | None = None
        """What the whole session has cost, where the agent counts so."""
        self.session_tokens: tuple[int, int, int] | None = None
        """Input, output and cached tokens of the whole session, where the agent counts so."""
        self._spent, self._said = spent, said
        self._tokens: tuple[int, int, int] | None = None
        self._cost: Decimal | None = None
        self._text: list[str] = []
        self._chars = 0

    @property
    def text(self) -> str:
        """What the agent said, each message on a line of its own."""
        return "\n".join(self._text)

    @property
    def usage(self) -> Usage:
        """The reported use of the turn."""
        if self._tokens is None:
            return Usage(cost_usd=self._cost, scope="unknown" if self._cost is None else "turn")
        read, written, cached = self._tokens
        return Usage(
            input_tokens=read, output_tokens=written, cached_tokens=cached, cost_usd=self._cost, scope="turn"
        )

    def began(self, identifier: str, name: str, given: object = None, *, over: bool = False) -> None:
        """Record the beginning of a call with the tool's input; one that is `over` is not told to begin."""
        seen = self.calls.get(identifier)
        if seen is None:
            return
        self.last = "call"
        seen.name, seen.kind, seen.input = name, KINDS.get(name.lower(), "other"), given
        if isinstance(given, Mapping):
            words = (given[key] for key in _TITLE_KEYS if isinstance(given.get(key), str))
            seen.title = next(words, "") or seen.title
            if seen.kind in _WITH_FILES:
                paths = (given[key] for key in _PATH_KEYS if isinstance(given.get(key), str))
                seen.paths.update(dict.fromkeys(paths))
        if not over:
            self.calls.begin(identifier)

    def touched(self, identifier: str, path: str) -> None:
        """Take note of a file that a call touches."""
        if (seen := self.calls.get(identifier)) is not None:
            seen.paths[path] = None

    def ended(self, identifier: str, *, ok: bool, output: object = None) -> None:
        """Take note of a call's end."""
        if (seen := self.calls.get(identifier)) is not None:
            seen.output = output
            self.calls.end(identifier, ok=ok)

    def ended_before(
        self, identifier: str, *, ok: bool, output: object = None, lasted_s: float | None = None
    ) -> None:
        """Record a call that was reported only at its end; `lasted_s` is the agent's own figure."""
        if (seen := self.calls.get(identifier)) is not None:
            seen.output = output
            self.calls.end(identifier, ok=ok, duration_s=lasted_s, timed=False)

    def say(self, text: object, *, goes_on: bool = False) -> None:
        """Take what the agent says; a piece that `goes_on` belongs to the message before it."""
        if not isinstance(text, str) or not text:
            return
        self.trouble, self.last = None, "say"
        room = _TEXT_CHARS - self._chars
        if room > 0:
            if goes_on and self._text:
                self._text[-1] += text[:room]
            else:
                self._text.append(text[:room])
            self._chars += len(text)
            self._said(text if goes_on else f"{text}\n")

    def add(self, tokens: tuple[int, int, int] | None, cost: Decimal | None = None) -> None:
        """Add the figures of one more call of the model."""
        if tokens is not None:
            before = self._tokens or (0, 0, 0)
            self._tokens = (before[0] + tokens[0], before[1] + tokens[1], before[2] + tokens[2])
        if cost is not None:
            self._cost = (self._cost or Decimal(0)) + cost
        if tokens is not None or cost is not None:
            self._spent(self.usage)

    def total(self, tokens: tuple[int, int, int] | None, cost: Decimal | None = None) -> None:
        """Take the figures of the whole turn in place of those before."""
        self._tokens = tokens if tokens is not None else self._tokens
        self._cost = cost if cost is not None else self._cost
        self._spent(self.usage)

    def fail(self, message: object, data: object = None) -> None:
        """Take note that the turn failed."""
        words = message if isinstance(message, str) and message else "an error without a message"
        self.failure = Failure(message=words, data=data)


def tokens(read: object, written: object, cached: object = 0) -> tuple[int, int, int] | None:
    """Combine three figures; none if the first two are not counts."""
    one, two, three = count(read), count(written), count(cached)
    return None if one is None or two is None else (one, two, three or 0)


def count(value: object) -> int | None:
    """Read a count."""
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST
    return value if fits and isinstance(value, int) else None


def dollars(value: object) -> Decimal | None:
    """Read a sum of money."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        return None
    return Decimal(str(value))
