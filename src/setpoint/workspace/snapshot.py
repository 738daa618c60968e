"""What a snapshot's commit says beside its tree: the attempt it came of, so that a crash loses nothing."""

from __future__ import annotations

import os
import re

from pydantic import ValidationError

from setpoint.errors import RecordedDataError, WorkspaceError
from setpoint.model.ids import Commit
from setpoint.model.run import Snapshot

REFS = "refs/setpoint/"
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.|$|lock$))*")
_UNBORN = Commit("")


def ref_of(label: str) -> str:
    """Return the ref of a snapshot's label."""
    if not _LABEL.fullmatch(label) or label == "salvage":
        hint = "use letters, digits, dots, dashes and underscores"
        raise WorkspaceError(f"{label!r} cannot be the label of a snapshot", hint=hint)
    return f"{REFS}{label}"


def message_of(snapshot: Snapshot) -> str:
    """Write a snapshot as the message of its own commit, whose id it cannot hold."""
    return (
        f"setpoint: {snapshot.label}\n\n{snapshot.model_copy(update={'commit': _UNBORN}).model_dump_json()}\n"
    )


def read_snapshot(commit: Commit, raw: bytes) -> Snapshot:
    """Read a snapshot from its commit object."""
    record = raw.partition(b"\n\n")[2].partition(b"\n\n")[2]
    try:
        return Snapshot.model_validate_json(record).model_copy(update={"commit": commit})
    except ValidationError as error:
        hint = "resume the run with the version of Setpoint that began it"
        raise RecordedDataError(
            f"commit {commit} holds no snapshot that this version can read: {error}", hint=hint
        ) from None


def changes(numstat: bytes) -> tuple[tuple[str, ...], int, int]:
    """Read `diff-tree --numstat -z --no-renames`: paths, inserted, deleted lines (none for binary files)."""
    files: list[str] = []
    inserted = deleted = 0
    for entry in numstat.split(b"\0"):
        if entry.count(b"\t") < 2:  # noqa: PLR2004 - two tabs between three fields
            continue
        plus, minus, path = entry.split(b"\t", 2)
        files.append(os.fsdecode(path))
        inserted += int(plus) if plus.isdigit() else 0
        deleted += int(minus) if minus.isdigit() else 0
    return tuple(files), inserted, deleted
