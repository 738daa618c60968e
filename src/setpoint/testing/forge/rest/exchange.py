"""A request to the REST API, its answer, and the table by which requests find their function."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import unquote

from setpoint.testing.forge.records import Caller, Json
from setpoint.testing.forge.refusal import Refused, invalid
from setpoint.testing.forge.world import World

Need = Literal["anyone", "read", "sign-in", "write", "app"]
"""`sign-in`: whoever may read and has a token; `app`: an app's installation alone."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A request, after its token was looked up."""

    world: World
    method: str
    path: str
    query: dict[str, str]
    body: Json
    caller: Caller | None
    token: str = ""
    found: dict[str, str] = field(default_factory=dict)
    """What is in the path, by name."""

    @property
    def by(self) -> str:
        """Return the login of whoever asks; raises the 401 of GitHub without a token."""
        if self.caller is None:
            raise Refused(401, "Requires authentication")
        return self.caller.login

    def number(self, name: str = "number") -> int:
        """Return a number of the path."""
        return int(self.found[name])

    def text(self, name: str, default: str | None = None) -> str:
        """Return a text of the body; raises the 422 of GitHub without it or for another type."""
        given = self.body.get(name, default)
        if given is None and name not in self.body:
            raise Refused(422, f'Invalid request.\n\n"{name}" wasn\'t supplied.')
        if given is None and default is not None:
            return default
        if not isinstance(given, str):
            raise Refused(422, f"Invalid request.\n\nFor 'properties/{name}', {given!r} is not a string.")
        return given

    def optional(self, name: str) -> str | None:
        """Return a text of the body, or None where it is left out or null."""
        return None if self.body.get(name) is None else self.text(name)

    def listed(self, name: str) -> list[Any]:
        """Return a list of the body, empty where it is left out."""
        given = self.body.get(name) or []
        if not isinstance(given, list):
            raise Refused(422, f"Invalid request.\n\nFor 'properties/{name}', {given!r} is not an array.")
        return given

    def whole(self, name: str) -> int | None:
        """Return a whole number of the body, or None where it is left out or null."""
        given = self.body.get(name)
        if given is not None and (not isinstance(given, int) or isinstance(given, bool)):
            raise Refused(422, f"Invalid request.\n\nFor 'properties/{name}', {given!r} is not an integer.")
        return given

    def since(self) -> datetime | None:
        """Return the time `since` of the query; raises the 422 of GitHub for anything but a time."""
        given = self.query.get("since")
        if not given:
            return None
        try:
            at = datetime.fromisoformat(given)
        except ValueError:
            raise invalid("Issue", "since") from None
        return at if at.tzinfo else at.replace(tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An answer."""

    status: int = 200
    body: Json | list[Json] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    pages: Sequence[Json] | None = None
    """All entries of a list; the server cuts the page that was asked for."""
    under: str = ""
    """Key below which a page is sent, beside `total_count`, for the lists that GitHub wraps."""


@dataclass(frozen=True)
class Route:
    """An address and its function; `{name}` is a segment, `{name:number}` digits, `{name:rest}` more."""

    method: str
    path: str
    answer: Callable[[Ask], Reply]
    need: Need = "read"

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """Return what is in the path, or None for another address."""
        found = self._pattern().fullmatch(path) if method == self.method else None
        return None if found is None else {name: unquote(text) for name, text in found.groupdict().items()}

    def _pattern(self) -> re.Pattern[str]:
        kinds = {"number": r"\d+", "rest": r".+", "": r"[^/]+"}
        parts = re.split(r"\{(\w+):?(\w*)\}", self.path)
        made = re.escape(parts[0])
        for name, kind, text in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
            made += f"(?P<{name}>{kinds[kind]}){re.escape(text)}"
        return re.compile(made)
