"""The tokens with which a project's dashboard is opened."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from setpoint.store.web_keys import web_tokens
from setpoint.wiring.project import Project


def visitor_tokens(project: Project, scopes: Iterable[str]) -> dict[str, str]:
    """Give the token of each scope, made at the first start."""
    return web_tokens(project.state, scopes)


def ingest_key(token: str) -> str:
    """Derive from the token for signals what an application is given: it tells of errors and nothing else.

    It stands in addresses (a DSN) and in the settings of applications, which get about.
    """
    return hmac.new(token.encode(), b"setpoint ingest", hashlib.sha256).hexdigest()[:32]
