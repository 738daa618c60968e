"""Find a repository, and the API of its forge, by the address of a git remote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from setpoint.errors import SettingsError, WorkspaceError
from setpoint.forges.git_remote import GitRemote, without_login
from setpoint.model.config.forge import ForgeKind, ForgeSettings
from setpoint.system.git.git import ask

_SCP = re.compile(r"(?:[^/:@\s]+@)?(?P<host>\[[^\]/]+\]|[^/:@\s]{2,}):(?!//)(?P<path>[^\s]+)")
_API_PATH = {ForgeKind.GITHUB: "/api/v3", ForgeKind.FORGEJO: "/api/v1"}
_GITHUB = ("github.com", "www.github.com", "ssh.github.com")
_GITHUB_API = "api.github.com"
_TENANT = ".ghe.com"
_SEGMENTS = 2


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a repository is."""

    repository: str
    """`owner/name`."""
    api_url: str
    """Without a slash at the end."""
    remote: GitRemote


@dataclass(frozen=True, kw_only=True)
class _Address:
    """What the address of a remote says; a path on this machine says nothing."""

    scheme: str = ""
    host: str = ""
    """With the port, where it is one of HTTP."""
    before: str = ""
    """The path before owner and name, for a forge below one."""
    repository: str = ""


async def place_of(settings: ForgeSettings, root: Path) -> Place:
    """Return where the repository at `root` is; raises `SettingsError` with what to set."""
    address = await _remote_address(root, settings.remote)
    read = _read(address)
    repository = settings.repository or read.repository
    if not repository:
        message = f"the address of the remote {settings.remote} names no repository: {without_login(address)}"
        raise SettingsError(message, hint='set forge.repository = "owner/name" in setpoint.toml')
    api_url = (settings.api_url or _api(settings.kind, read)).rstrip("/")
    if not api_url:
        message = f"the address of the remote {settings.remote} names no host: {without_login(address)}"
        raise SettingsError(message, hint='set forge.api_url = "https://..." in setpoint.toml')
    parts = _checked(api_url)
    if parts.scheme == "http" and not settings.api_url and not _local(parts.hostname or ""):
        message = f"{api_url}: a token would cross the network unencrypted"
        raise SettingsError(message, hint="use https, or set forge.api_url to say that you want this")
    elsewhere = bool(read.host) and not _same_site(read.host, parts.netloc.rpartition("@")[2])
    return Place(
        repository=repository, api_url=api_url, remote=GitRemote(address=address, elsewhere=elsewhere)
    )


async def _remote_address(root: Path, remote: str) -> str:
    try:
        answer = await ask(root, "remote", "get-url", "--push", "--end-of-options", remote)
    except WorkspaceError as error:
        raise SettingsError(error.message, hint=error.hint) from None
    if not answer.ok or not answer.text:
        hint = f"git remote add {remote} https://..., or name another one: forge.remote"
        raise SettingsError(f"{root}: there is no git remote named {remote!r}", hint=hint)
    return answer.text.splitlines()[0]


def _read(address: str) -> _Address:
    if "://" in address:
        parts = _split(address)
        if parts.scheme not in ("http", "https", "ssh", "git", "git+ssh"):
            return _Address()
        before, repository = _named(parts.path)
        over_http = parts.scheme in ("http", "https")
        host = parts.netloc.rpartition("@")[2] if over_http else parts.hostname or ""
        scheme = parts.scheme if over_http else "https"
        return _Address(scheme=scheme, host=host, before=before if over_http else "", repository=repository)
    if (found := _SCP.fullmatch(address)) and not Path(address).exists():
        return _Address(scheme="https", host=found["host"], repository=_named(found["path"])[1])
    return _Address()


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError as error:
        message = f"{without_login(address)}: this address cannot be read: {error}"
        raise SettingsError(message, hint="git remote -v, and the setting forge.api_url") from None
    return parts


def _named(path: str) -> tuple[str, str]:
    """Return the path before owner and name, and these two."""
    names = [name for name in path.strip("/").removesuffix(".git").split("/") if name]
    if len(names) < _SEGMENTS or not all(re.fullmatch(r"[\w.-]+", name) for name in names[-_SEGMENTS:]):
        return "", ""
    before = "/".join(names[:-_SEGMENTS])
    return (f"/{before}" if before else ""), "/".join(names[-_SEGMENTS:])


def _api(kind: ForgeKind, read: _Address) -> str:
    if not read.host:
        return ""
    host = read.host.lower()
    if kind is ForgeKind.GITHUB and host in _GITHUB:
        return f"https://{_GITHUB_API}"
    if kind is ForgeKind.GITHUB and host.endswith(_TENANT):
        return f"https://api.{host}"
    return f"{read.scheme}://{read.host}{read.before}{_API_PATH[kind]}"


def _same_site(host: str, api_host: str) -> bool:
    host, api_host = host.lower(), api_host.lower()
    return api_host in {host, f"api.{host}"} or (host in _GITHUB and api_host == _GITHUB_API)


def _checked(api_url: str) -> SplitResult:
    parts = _split(api_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(f"forge.api_url: {without_login(api_url)} is no address of an API")
    if parts.username or parts.password:
        raise SettingsError("forge.api_url holds a login", hint="put the token into forge.token_variable")
    return parts


def _local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
