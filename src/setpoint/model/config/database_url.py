"""The address of the database that several machines share."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit


def postgres_url(url: str) -> str:
    """Return the URL of a Postgres database, or an empty string; `ValueError` for anything else."""
    if url and urlsplit(url).scheme not in ("postgresql", "postgres"):
        raise ValueError(
            "a database is named as in postgresql://USER@HOST/NAME or postgresql:///?service=NAME"
        )
    return url.replace("postgres://", "postgresql://", 1)


def has_password(url: str) -> bool:
    """Whether a URL holds a password."""
    parts = urlsplit(url)
    return bool(parts.password) or "password" in parse_qs(parts.query)


def without_password(url: str) -> str:
    """Return a URL as it may be shown; a password, also one among its parameters, is left out."""
    parts = urlsplit(url)
    if not has_password(url):
        return url
    place = parts.netloc.rpartition("@")[2]
    user = f"{parts.username}:***@" if parts.username else ""
    return parts._replace(netloc=f"{user}{place}", query="").geturl()
