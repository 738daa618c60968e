"""How long each check took the last time, so that the longest can begin first."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.model.evidence import CheckResult
from setpoint.system.files.atomic import write_atomic

_SECONDS: TypeAdapter[dict[str, float]] = TypeAdapter(dict[str, float])


class Pace:
    """Seconds by check, in one file; two processes that write it at once lose a figure and nothing else."""

    def __init__(self, path: Path) -> None:
        """Read what was kept; nothing where there is no such file or it cannot be read."""
        self._path = path
        try:
            self._seconds = _SECONDS.validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            self._seconds = {}
        self._new = False

    def expected_s(self, checks: Iterable[str]) -> float:
        """Return the seconds that checks take together; one that was never run counts as long."""
        return sum(self._seconds.get(check, 60.0) for check in checks)

    def last_s(self, check: str) -> float:
        """Return the seconds that a check took the last time; 0 where it never ran."""
        return self._seconds.get(check, 0.0)

    def took(self, result: CheckResult) -> None:
        """Take note of a check that was really run."""
        if result.evidence.argv and not result.evidence.cached:
            self._seconds[result.evidence.check] = round(result.evidence.duration_s, 2)
            self._new = True

    def keep(self) -> None:
        """Write what is new."""
        if self._new:
            write_atomic(self._path, _SECONDS.dump_json(self._seconds).decode(), flush=False)
            self._new = False
