"""All languages, and which of them a file is written in."""

from __future__ import annotations

from setpoint.checks.languages.go.language import Go
from setpoint.checks.languages.javascript.language import JavaScript
from setpoint.checks.languages.language import Language
from setpoint.checks.languages.python.language import Python
from setpoint.checks.languages.rust.language import Rust
from setpoint.checks.languages.shell.language import Shell

LANGUAGES: tuple[Language, ...] = (Python(), JavaScript(), Go(), Rust(), Shell())
"""One of each; a file belongs to the first that owns it."""


def language_of(path: str) -> Language | None:
    """Return the language of a source; none where Setpoint knows none for it."""
    return next((each for each in LANGUAGES if each.owns(path)), None)
