"""The address of the database that several machines share."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import SplitResult, parse_qs, urlsplit

from pydantic import AfterValidator

from setpoint.errors import SettingsError


def postgres_url(url: str) -> str:
    """Return the URL of a Postgres database, or an empty string; `ValueError` for anything else.

    What is wrong is not shown: it may be a part of the password.
    """
    parts = _parts(url)
    if url and (parts is None or parts.scheme not in ("postgresql", "postgres")):
        raise ValueError(
            "a database is named as in postgresql://USER@HOST/NAME or postgresql:///?service=NAME;"
            " in a password, write @ : / ? # % as %40 %3A %2F %3F %23 %25"
        )
    return url.replace("postgres://", "postgresql://", 1)


DatabaseUrl = Annotated[str, AfterValidator(postgres_url)]
"""URL of a Postgres database, or an empty string."""


def refuse_password(url: object, source: object) -> None:
    """Raise `SettingsError` where a file of the repository holds a password."""
    if has_password(str(url)):
        hint = "set SETPOINT_DATABASE instead, or use a service file: postgresql:///?service=NAME"
        raise SettingsError(f"{source}, key 'database': a password would be in the repository", hint=hint)


def has_password(url: str) -> bool:
    """Whether a URL holds a password, or cannot be read and may hold one."""
    parts = _parts(url)
    return parts is None or bool(parts.password) or "password" in parse_qs(parts.query)


def without_password(url: str) -> str:
    """Return a URL as it may be shown; a password, also one among its parameters, is left out."""
    parts = _parts(url)
    if parts is None:
        return "***"
    if not has_password(url):
        return url
    user = f"{parts.username}:***@" if parts.username else ""
    return parts._replace(netloc=f"{user}{parts.netloc.rpartition('@')[2]}", query="").geturl()


def _parts(url: str) -> SplitResult | None:
    """Take a URL apart; none where it cannot be, as with a password whose signs are not escaped."""
    try:
        parts = urlsplit(url)
        readable = parts.port != 0 and not (parts.netloc and "@" in parts.path + parts.query + parts.fragment)
    except ValueError:
        return None
    return parts if readable else None
