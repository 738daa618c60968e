"""Tokens that open the dashboard of a project, one for each scope; for the owner of the files alone."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from setpoint.errors import RecordedDataError
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.locks import locked_file

FILE = "web-tokens.json"
"""Where the tokens lie in the state directory, readable by its owner alone."""


def web_tokens(state: Path, scopes: Iterable[str]) -> dict[str, str]:
    """Return the token of each scope, made where there is none.

    Raises `RecordedDataError` where the file is damaged.
    """
    path = state / FILE
    with locked_file(state / "locks" / "web-tokens.lock"):
        known = _read(path) if path.exists() else {}
        wanted = {scope: known.get(scope) or secrets.token_urlsafe(32) for scope in scopes}
        if not wanted.items() <= known.items():
            kept = {**known, **wanted}
            write_atomic_bytes(path, (json.dumps(kept, indent=2) + "\n").encode(), mode=0o600)
    path.chmod(0o600)
    return wanted


def _read(path: Path) -> dict[str, str]:
    try:
        told = json.loads(path.read_text("utf-8"))
        return {str(scope): str(token) for scope, token in told.items()}
    except (ValueError, AttributeError) as error:
        raise RecordedDataError(
            f"{path}: no table of tokens: {error}",
            hint="remove the file: new tokens are made at the next start",
        ) from None
