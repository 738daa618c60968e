"""What senders of signals have in common: texts to be cleaned, severities by many names, stacks in texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import ValidationError

from setpoint.errors import UsageError
from setpoint.model.changes.redaction import redacted
from setpoint.model.finding import Severity
from setpoint.model.production import Frame, digest

MOST_TEXT = 8000
"""Characters of a text that are kept."""
MOST_WORD = 300
"""Characters of a title, a label or an address that are kept."""
MOST_LABELS = 40
MOST_FRAMES = 50
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SEVERITIES = {
    Severity.CRITICAL: ("critical", "page", "emergency", "fatal", "alert", "p1", "disaster"),
    Severity.ERROR: ("error", "high", "major", "p2"),
    Severity.WARNING: ("warning", "warn", "medium", "moderate", "average", "p3"),
    Severity.INFO: ("info", "information", "informational", "low", "minor", "debug", "notice", "none", "p4"),
}
_BY_NAME = {name: severity for severity, names in _SEVERITIES.items() for name in names}
_PYTHON = re.compile(
    r'^\s*File "(?P<file>[^"\n]{1,400})", line (?P<line>\d{1,7})(?:, in (?P<function>\S{1,200}))?'
)
_JAVASCRIPT = re.compile(
    r"^\s*at (?:async )?(?:(?P<function>[^()\n]{1,200}) \()?(?:file://)?(?P<file>[^()\s:]{1,400}):(?P<line>\d{1,7})(?::\d{1,7})?\)?\s*$"
)
_JAVA = re.compile(
    r"^\s*at (?P<function>[\w.$<>]{1,300})\((?P<file>[\w$]{1,200}\.\w{1,8}):(?P<line>\d{1,7})\)"
)
_PLAIN = re.compile(r"^\s*(?P<file>[\w@+~./\\-]{1,400}\.[A-Za-z]{1,8}):(?P<line>\d{1,7})\b")
_SHAPES = (_PYTHON, _JAVA, _JAVASCRIPT, _PLAIN)


class Ended(NamedTuple):
    """A source says that what it saw is over."""

    signal: str
    """The name of the signal."""
    at: datetime


def text(said: str, most: int = MOST_TEXT) -> str:
    """Remove control characters and secrets from an external text, and shorten it."""
    # Shorten before the search for secrets, but keep a piece more, which may hold half of one.
    clean = redacted(_CONTROL.sub("", said[: most + 1000].replace("\r\n", "\n").replace("\r", "\n")))
    return clean if len(clean) <= most else f"{clean[: most - 1]}…"


def word(said: str) -> str:
    """Take a text of outside as one line."""
    return " ".join(text(said, MOST_WORD).split())


def labels(said: Mapping[str, str]) -> dict[str, str]:
    """Take the labels of a signal, at most so many."""
    return {word(name): word(value) for name, value in list(said.items())[:MOST_LABELS]}


def severity(said: str) -> Severity:
    """Read how bad a source thinks it is; what it does not say, or by a word nobody knows, is a warning."""
    return _BY_NAME.get(said.strip().lower(), Severity.WARNING)


def first(said: Mapping[str, str], *names: str) -> str:
    """Return the first of several labels that is there."""
    return next((said[name] for name in names if said.get(name)), "")


def frames(said: str) -> tuple[Frame, ...]:
    """Find the calls of a stack in a text, the innermost first.

    Python prints the innermost last, all others that are known print it first.
    """
    found: list[Frame] = []
    python = 0
    for line in said.splitlines()[:2000]:
        match = next((hit for shape in _SHAPES if (hit := shape.match(line))), None)
        if match is None:
            continue
        python += match.re is _PYTHON
        function = match.groupdict().get("function") or ""
        found.append(Frame(file=word(match["file"]), line=int(match["line"]), function=word(function)))
    if python * 2 > len(found):
        found.reverse()
    return tuple(found[:MOST_FRAMES])


def fingerprint(*parts: str) -> str:
    """Recognise a problem by what does not change between its signals; numbers in texts do."""
    return digest(*(re.sub(r"\b(?:0x)?[0-9a-f]*\d[0-9a-f]*\b", "#", part.lower()) for part in parts))


def aware(at: datetime) -> datetime:
    """Take a time without a zone as UTC."""
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def unreadable(what: str, error: ValidationError, hint: str) -> UsageError:
    """Say what is wrong with a message and where, without repeating what it holds."""
    details: Iterable[str] = (
        f"{'.'.join(map(str, each['loc'])) or 'the message'}: {each['msg'].lower()}"
        for each in error.errors()[:5]
    )
    return UsageError(f"{what}: {'; '.join(details)}", hint=hint)
