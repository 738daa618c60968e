"""The tokens with which a project's dashboard is opened."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from setpoint.app.project.web_keys import web_tokens
from setpoint.wiring.project import Project


def access_tokens(project: Project, scopes: Iterable[str]) -> dict[str, str]:
    """Return the token of each scope, made at the first start."""
    return web_tokens(project.state, scopes)


def ingest_key(token: str) -> str:
    """Derive the key of an application from the signal token; the key can only report errors.

    The key is part of addresses (DSN) and settings of applications, which may leak.
    """
    return hmac.new(token.encode(), b"setpoint ingest", hashlib.sha256).hexdigest()[:32]
