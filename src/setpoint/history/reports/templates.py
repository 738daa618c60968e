"""The templates of everything that is written for people, and how they are filled."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape


def templates() -> Environment:
    """Return a new environment for `templates/`: HTML is escaped, a name that is not given is an error."""
    return Environment(
        loader=PackageLoader("setpoint.history.reports", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=select_autoescape(["html.j2"]),
    )
