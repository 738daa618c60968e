"""Keys that open a project's dashboard: shown once, when they are made; stored as hashes only.

Agents can read the state directory, because they run as its owner. What they read there opens nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from setpoint.app.project.person import require_person
from setpoint.errors import RecordedDataError
from setpoint.model.value import Instant, Value
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.locks import locked_file
from setpoint.wiring.project import Project

FILE = "web-tokens.json"
"""Where the hashes lie in the state directory."""


class KeyKind(StrEnum):
    """What a key is for."""

    TOKEN = "token"  # noqa: S105 - the name of a kind
    """Does all that its scope allows."""
    INGEST = "ingest"
    """Reports errors and does nothing else: it is part of addresses and settings of applications."""


class StoredKey(Value):
    """What is kept of a key: enough to recognise it, too little to make it."""

    scope: str
    kind: KeyKind = KeyKind.TOKEN
    sha256: str
    """In hexadecimal. A key is 128 random bits or more, so a fast hash is enough."""
    made_at: Instant | None = None
    """None for a key of an older version, which stored it readable."""

    def opens(self, key: str) -> bool:
        """Whether this is the key; takes the same time for every wrong one."""
        return hmac.compare_digest(self.sha256, _hashed(key))


class _Stored(Value):
    """The file."""

    keys: tuple[StoredKey, ...] = ()


def make_key(project: Project, scope: str, kind: KeyKind = KeyKind.TOKEN, *, replace: bool = False) -> str:
    """Make a key, store its hash, and return the key, which nobody can read again.

    With `replace` the older keys of the same scope and kind end. Refused to what an agent started.
    """
    require_person(project)
    state = project.state
    key = secrets.token_hex(16) if kind is KeyKind.INGEST else secrets.token_urlsafe(32)
    with locked_file(state / "locks" / "web-tokens.lock"):
        known = _migrated(state / FILE)
        kept = [each for each in known if not (replace and (each.scope, each.kind) == (scope, kind))]
        made = StoredKey(scope=scope, kind=kind, sha256=_hashed(key), made_at=datetime.now(UTC))
        _write(state / FILE, (*kept, made))
    return key


def stored_keys(state: Path) -> tuple[StoredKey, ...]:
    """Return what is kept of each key, oldest first; replaces a file of an older version.

    Raises `RecordedDataError` where the file is damaged.
    """
    path = state / FILE
    if not path.exists():
        return ()
    known, readable = _read(path)
    if not readable:
        return known
    with locked_file(state / "locks" / "web-tokens.lock"):
        return _migrated(path)


def revoke_keys(project: Project, scope: str) -> int:
    """End every key of a scope; return how many there were."""
    require_person(project)
    state = project.state
    with locked_file(state / "locks" / "web-tokens.lock"):
        known = _migrated(state / FILE)
        kept = tuple(each for each in known if each.scope != scope)
        if len(kept) < len(known):
            _write(state / FILE, kept)
    return len(known) - len(kept)


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _migrated(path: Path) -> tuple[StoredKey, ...]:
    if not path.exists():
        return ()
    known, readable = _read(path)
    if readable:
        _write(path, known)
    return known


def _write(path: Path, keys: Iterable[StoredKey]) -> None:
    text = _Stored(keys=tuple(keys)).model_dump_json(indent=2, exclude_none=True)
    write_atomic_bytes(path, f"{text}\n".encode(), mode=0o600)


def _read(path: Path) -> tuple[tuple[StoredKey, ...], bool]:
    """Return the keys, and whether the file is one of an older version, which holds them readable."""
    try:
        told = json.loads(path.read_text("utf-8"))
        if isinstance(told, dict) and "keys" not in told:
            return tuple(_older(told)), True
        return _Stored.model_validate(told).keys, False
    except (ValueError, ValidationError) as error:
        raise RecordedDataError(
            f"{path}: no table of keys: {error}",
            hint="remove the file, then make new tokens with `setpoint admin token new`",
        ) from None


def _older(told: dict[str, str]) -> Iterable[StoredKey]:
    for scope, token in told.items():
        yield StoredKey(scope=scope, sha256=_hashed(str(token)))
        if scope == "signal":
            derived = hmac.new(str(token).encode(), b"setpoint ingest", hashlib.sha256).hexdigest()[:32]
            yield StoredKey(scope=scope, kind=KeyKind.INGEST, sha256=_hashed(derived))
