"""Notes on thresholds that demand less than at the base."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from setpoint.checks.notes.change import Change
from setpoint.model.finding import Note

_FLOORS = r"(?:cov-)?fail[-_]under|minversion|min[-_][\w-]+|lines|branches|statements|functions|msi|break"
_CEILINGS = r"(?:max|maximum)[-_][\w-]+|maxfail|max|complexity|cognitive-complexity-threshold"
_NUMBER = re.compile(
    rf"(?P<key>\b(?:{_FLOORS}|{_CEILINGS}))\b[\"']?\s*[:=]\s*\[?(?:[\"']\w+[\"'],\s*)?(?P<value>\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
_IS_CEILING = re.compile(rf"(?:{_CEILINGS})", re.IGNORECASE)
_SETTINGS = re.compile(
    r"\.(?:toml|ini|cfg|ya?ml|jsonc?)$|(?:^|/)(?:\.coveragerc|\.flake8|\.?pylintrc|makefile|justfile|noxfile\.py"
    r"|\.\w+rc|[\w.-]+\.config\.[cm]?[jt]s)$",
    re.IGNORECASE,
)
_LOCKED = re.compile(r"(?:lock\.(?:json|ya?ml)|\.lock)$")


def of_thresholds(change: Change) -> Iterator[Note]:
    """Yield a note for each threshold of a settings file that is lower, or gone where the file stays."""
    for path, text in change.after.items():
        before = change.before.get(path)
        if before is None or not _SETTINGS.search(path) or _LOCKED.search(path):
            continue
        stood, now = _thresholds(before), _thresholds(text)
        for key, (value, _) in stood.items():
            after = now.get(key)
            if after is None:
                yield Note(rule="lowered", message=f"{key} is gone; it was {value:g}", file=path)
            elif _demands_less(key, value, after[0]):
                message = f"{key} demands less: {value:g} before, {after[0]:g} now"
                yield Note(rule="lowered", message=message, file=path, line=after[1])


def _thresholds(text: str) -> Mapping[str, tuple[float, int]]:
    """Return each threshold that a file names once, with its line."""
    found: dict[str, list[tuple[float, int]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        for each in _NUMBER.finditer(line):
            found.setdefault(each["key"].lower(), []).append((float(each["value"]), number))
    return {key: values[0] for key, values in found.items() if len(values) == 1}


def _demands_less(key: str, before: float, after: float) -> bool:
    return after > before if _IS_CEILING.fullmatch(key) else after < before
