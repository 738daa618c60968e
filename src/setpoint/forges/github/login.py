"""Who Setpoint is at GitHub: a token, or a GitHub App whose tokens end after an hour."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, timedelta
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from setpoint.errors import SettingsError
from setpoint.forges.github.answers import Account, AppFacts, InstallationToken
from setpoint.forges.github.graphql import GraphQL, Viewer
from setpoint.forges.http import ForgeHttp, Site

_EARLY = timedelta(minutes=5)
"""So long before its end a token is renewed."""
_BACK = timedelta(seconds=60)
"""For clocks that differ."""
_LIFE = timedelta(minutes=9)
EXTRA = "pip install 'setpoint[github-app]'"


class Login(Protocol):
    """Knows a token, and whose it is."""

    async def token(self) -> str:
        """Return a token that is good now."""

    async def name(self, http: ForgeHttp) -> str:
        """Ask for the login that texts are written under."""


@dataclass(frozen=True, kw_only=True)
class TokenLogin:
    """A personal token, or the one of a workflow of GitHub Actions."""

    value: str = field(repr=False)

    async def token(self) -> str:
        """Return the token."""
        return self.value

    async def name(self, http: ForgeHttp) -> str:
        """Ask whose token it is."""
        reply = await http.get("/user", also=(HTTPStatus.FORBIDDEN,))
        if reply.status == HTTPStatus.FORBIDDEN:  # a token of a workflow is nobody's
            return (await GraphQL(http).ask("Me", {}, Viewer)).viewer.login
        return reply.read(Account, "GitHub: /user").login


class AppLogin:
    """A GitHub App, installed for the repository."""

    def __init__(self, site: Site, app_id: str, installation: str, key_file: Path) -> None:
        """Sign with the private key in a file; nothing is read or asked yet."""
        self._app_id, self._installation, self._key_file = app_id, installation, key_file
        self._http = ForgeHttp(replace(site, authorize=self._signed))
        self._now = site.now
        self._held: InstallationToken | None = None

    async def token(self) -> str:
        """Return the token of the installation, a new one where the last ends soon."""
        if self._held is None or self._held.expires_at - self._now() < _EARLY:
            path = f"/app/installations/{self._installation}/access_tokens"
            reply = await self._http.send("POST", path, {}, again=True)
            self._held = reply.read(InstallationToken, f"GitHub: {path}")
        return self._held.token

    async def name(self, http: ForgeHttp) -> str:  # noqa: ARG002 - an app asks with its own key
        """Ask for the name of the app."""
        return f"{(await self._http.get('/app')).read(AppFacts, 'GitHub: /app').slug}[bot]"

    async def _signed(self) -> str:
        if find_spec("jwt") is None or find_spec("cryptography") is None:
            message = "forge.app_id: a GitHub App needs the package pyjwt[crypto], which is not installed"
            raise SettingsError(message, hint=EXTRA)
        import jwt  # noqa: PLC0415 - an extra, and slow to load

        try:
            key = self._key_file.read_bytes()
        except OSError as error:
            message = f"forge.app_key_file: {self._key_file} cannot be read: {error.strerror}"
            raise SettingsError(message, hint="download a private key on the page of the app") from None
        now = self._now().astimezone(UTC)
        claims = {"iat": int((now - _BACK).timestamp()), "exp": int((now + _LIFE).timestamp())}
        try:
            made = jwt.encode({**claims, "iss": self._app_id}, key, algorithm="RS256")
        except (ValueError, TypeError, jwt.PyJWTError):
            message = f"forge.app_key_file: {self._key_file} holds no private RSA key in PEM form"
            raise SettingsError(message, hint="download a private key on the page of the app") from None
        return f"Bearer {made}"


def for_git(token: str) -> str:
    """Return the header with which git shows a token."""
    return "Basic " + base64.b64encode(f"x-access-token:{token}".encode()).decode()


def lacking(headers: Mapping[str, str]) -> str:
    """Return a hint about the permission that a token lacks, from the headers of a refusal."""
    sso = headers.get("x-github-sso", "")
    if sso.startswith("required; url="):
        return f"authorize the token for the organization: {sso.removeprefix('required; url=')}"
    wanted = headers.get("x-accepted-github-permissions") or headers.get("x-accepted-oauth-scopes")
    named = f": {wanted}" if wanted else ""
    return f"the token needs a permission that it lacks{named} (docs/how-to/forge-permissions.md)"
