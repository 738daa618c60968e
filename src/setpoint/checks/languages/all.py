"""All languages, and which of them a file is written in."""

from __future__ import annotations

from setpoint.checks.languages.language import Language
from setpoint.checks.languages.python.language import Python

LANGUAGES: tuple[Language, ...] = (Python(),)
"""One of each; a file belongs to the first that owns it."""


def language_of(path: str) -> Language | None:
    """Return the language of a source; none where Setpoint knows none for it."""
    return next((each for each in LANGUAGES if each.owns(path)), None)
