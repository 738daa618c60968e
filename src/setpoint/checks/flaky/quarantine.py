"""The quarantine: which tests enter it automatically, and the file that keeps it.

The file is TOML that a person can read; it is written completely or not at all.
"""

from __future__ import annotations

import fcntl
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.errors import SettingsError
from setpoint.model.flaky import FlakyTest, PutBy, Quarantined
from setpoint.system.files.atomic import write_atomic

SEEN_WITHIN = timedelta(days=90)
"""Older flaky runs do not count, and entries that ended before are removed."""
HEAD = """\
# Tests that fail by chance: until the day named, their failures are reported and do not count.
# `setpoint admin quarantine` keeps this file; comments are lost when it does.
"""
_ENTRIES: TypeAdapter[tuple[Quarantined, ...]] = TypeAdapter(tuple[Quarantined, ...])
_HINT = "correct the file at the place that is named, and its mode where it cannot be read"


class QuarantineFile:
    """One project's quarantine; safe for several processes."""

    def __init__(self, path: Path, lock: Path) -> None:
        """Keep entries at `path`; `lock` is a file that only Setpoint uses."""
        self.path = path
        self._lock = lock

    def entries(self) -> tuple[Quarantined, ...]:
        """Return all entries, ended ones too; a file that cannot be read is a `SettingsError`."""
        try:
            text = self.path.read_text("utf-8")
            return _ENTRIES.validate_python(tomllib.loads(text).get("test", []))
        except FileNotFoundError:
            return ()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise SettingsError(f"{self.path}: test.{place}: {first['msg']}", hint=_HINT) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise SettingsError(f"{self.path}: cannot be read: {error}", hint=_HINT) from None

    def change(
        self, how: Callable[[tuple[Quarantined, ...]], Iterable[Quarantined]]
    ) -> tuple[Quarantined, ...]:
        """Replace the entries by the result of `how`, one process at a time; return the new ones."""
        with self._locked():
            before = self.entries()
            after = tuple(how(before))
            if after != before:
                write_atomic(self.path, HEAD + "".join(map(_written, after)))
            return after

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        with self._lock.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _written(entry: Quarantined) -> str:
    """Write an entry as a TOML table."""
    lines = [
        "",
        "[[test]]",
        f"test = {_quoted(entry.test)}",
        f"until = {entry.until.isoformat()}",
        f"since = {entry.since.isoformat()}",
        f"by = {_quoted(entry.by)}",
        f"reason = {_quoted(entry.reason)}",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Quote a text for TOML, whose basic strings are those of JSON except for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def due(
    history: Iterable[FlakyTest], held: Iterable[Quarantined], now: datetime, *, after: int, days: int
) -> tuple[Quarantined, ...]:
    """Return the tests that enter quarantine now: flaky in `after` runs (0: never) since the last time.

    Runs are counted, not failures: if one run's work makes a test flaky, only that run sees it.
    """
    if not after:
        return ()
    entries = tuple(held)
    found = []
    for flaky in history:
        ends = [entry.until for entry in entries if entry.covers(flaky.test)]
        since = max([now - SEEN_WITHIN, *ends])
        sightings = sum(at > since for at in flaky.seen)
        if sightings >= after and since <= now:
            entry = Quarantined(
                test=flaky.test,
                since=now,
                until=now + timedelta(days=days),
                by=PutBy.SETPOINT,
                reason=f"failed and passed on the same tree in {sightings} runs",
            )
            found.append(entry)
    return tuple(found)


def remembered(entries: Iterable[Quarantined], now: datetime) -> tuple[Quarantined, ...]:
    """Return the entries without those that ended too long ago to matter."""
    return tuple(entry for entry in entries if entry.until > now - SEEN_WITHIN)
