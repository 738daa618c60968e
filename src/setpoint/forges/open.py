"""Open the forge that the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.errors import SettingsError
from setpoint.forges.forgejo.deliveries import read_delivery as from_forgejo
from setpoint.forges.forgejo.forge import ForgejoForge
from setpoint.forges.github.deliveries import read_delivery as from_github
from setpoint.forges.github.forge import GitHubForge
from setpoint.forges.github.login import AppLogin, Login, TokenLogin, lacking
from setpoint.forges.http import ForgeHttp, Site
from setpoint.forges.place import Place, place_of
from setpoint.model.config.forge import ForgeKind, ForgeSettings
from setpoint.ports.remote_forge import DeliveryReader, RemoteForge

_GITHUB_HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
_KIND_HINT = 'set forge.kind = "github" or "forgejo" in setpoint.toml'


async def open_forge(settings: ForgeSettings, root: Path, environment: Mapping[str, str]) -> RemoteForge:
    """Return the forge of the repository at `root`; nothing is asked of it yet.

    `environment` holds the token. Raises `SettingsError` where a setting or the token lacks.
    """
    if settings.kind is ForgeKind.NONE:
        raise SettingsError("no forge is set", hint=_KIND_HINT)
    place = await place_of(settings, root)
    if settings.kind is ForgeKind.FORGEJO:
        return ForgejoForge(place, _token(settings, environment), login_hint=_login_hint(settings))
    return _github(settings, place, root, environment)


def delivery_reader(kind: ForgeKind) -> DeliveryReader:
    """Return what reads the webhooks of a kind of forge; raises `SettingsError` where none is set."""
    match kind:
        case ForgeKind.GITHUB:
            return from_github
        case ForgeKind.FORGEJO:
            return from_forgejo
        case ForgeKind.NONE:
            raise SettingsError("no forge is set", hint=_KIND_HINT)


def _github(settings: ForgeSettings, place: Place, root: Path, environment: Mapping[str, str]) -> GitHubForge:
    login: Login

    async def authorize() -> str:
        return f"Bearer {await login.token()}"

    site = Site(
        name="GitHub",
        api_url=place.api_url,
        authorize=authorize,
        headers=_GITHUB_HEADERS,
        login_hint=_login_hint(settings),
        permission_hint=lacking,
    )
    if settings.app_id or settings.app_installation or settings.app_key_file:
        login = AppLogin(site, settings.app_id, settings.app_installation, _key_file(settings, root))
    else:
        login = TokenLogin(value=_token(settings, environment))
    return GitHubForge(place.repository, ForgeHttp(site), login, place.remote)


def _token(settings: ForgeSettings, environment: Mapping[str, str]) -> str:
    name = settings.token_variable
    token = environment.get(name, "").strip()
    if not token:
        raise SettingsError(
            f"the variable {name} is not set, which holds the token of the forge", hint=f"export {name}=..."
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise SettingsError(f"the variable {name} holds no token: it has spaces or odd characters")
    return token


def _key_file(settings: ForgeSettings, root: Path) -> Path:
    needed = ("app_id", "app_installation", "app_key_file")
    lacking_ones = [f"forge.{name}" for name in needed if not getattr(settings, name)]
    if lacking_ones:
        raise SettingsError(f"a GitHub App needs {' and '.join(lacking_ones)} too", hint="see setpoint.toml")
    file = (root / Path(settings.app_key_file).expanduser()).resolve()
    if file.is_relative_to(root.resolve()):
        message = f"forge.app_key_file: {settings.app_key_file} is inside the repository, where agents read"
        raise SettingsError(message, hint="move the key to a folder of your own, and name it absolutely")
    return file


def _login_hint(settings: ForgeSettings) -> str:
    if settings.app_id:
        return "check forge.app_id, forge.app_installation and the key in forge.app_key_file"
    return f"the token is wrong, was revoked or has ended: set {settings.token_variable} again"
