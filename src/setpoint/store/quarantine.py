"""The file of tests in quarantine: TOML that a person can read, written whole or not at all."""

from __future__ import annotations

import fcntl
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.domain.quarantine import Quarantined
from setpoint.errors import SettingsError
from setpoint.store.files import write_atomic

HEAD = """\
# Tests that fail by chance: until the day named, their failures are reported and do not count.
# `setpoint quarantine` keeps this file; comments are lost when it does.
"""
_ENTRIES: TypeAdapter[tuple[Quarantined, ...]] = TypeAdapter(tuple[Quarantined, ...])
_MEND = "correct the file, or put it away and begin anew with `setpoint quarantine add`"


class QuarantineFile:
    """One project's quarantine; safe for several processes."""

    def __init__(self, path: Path, lock: Path) -> None:
        """Keep entries at `path`; `lock` is a file of our own beside which nobody else writes."""
        self.path = path
        self._lock = lock

    def entries(self) -> tuple[Quarantined, ...]:
        """Give all entries, ended ones too; a file that cannot be read is a `SettingsError`."""
        try:
            text = self.path.read_text("utf-8")
            return _ENTRIES.validate_python(tomllib.loads(text).get("test", []))
        except FileNotFoundError:
            return ()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise SettingsError(f"{self.path}: test.{place}: {first['msg']}", mend=_MEND) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise SettingsError(f"{self.path}: cannot be read: {error}", mend=_MEND) from None

    def change(
        self, how: Callable[[tuple[Quarantined, ...]], Iterable[Quarantined]]
    ) -> tuple[Quarantined, ...]:
        """Replace the entries by what `how` makes of them, one process at a time; gives the new ones."""
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
    """Quote a text for TOML, whose basic strings are JSON's but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
