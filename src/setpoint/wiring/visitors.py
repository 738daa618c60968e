"""The tokens with which a project's dashboard is opened."""

from __future__ import annotations

from collections.abc import Iterable

from setpoint.store.web_keys import web_tokens
from setpoint.wiring.project import Project


def visitor_tokens(project: Project, scopes: Iterable[str]) -> dict[str, str]:
    """Give the token of each scope, made at the first start."""
    return web_tokens(project.state, scopes)
