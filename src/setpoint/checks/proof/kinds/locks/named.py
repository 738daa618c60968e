"""Tell whether an address, or a file, names the package that a lock file takes from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

_ENDINGS = re.compile(r"\.(?:tgz|tar\.gz|tar\.bz2|tar|zip)$")
_GIT = re.compile(r"git\b|ssh:")
_SEPARATORS = re.compile(r"[-_.]+")


def names_package(address: str, name: str, version: str) -> bool:
    """Whether an address of a registry, or of a repository, names a package of npm and its version.

    Registries write `NAME/-/FILE-VERSION.tgz`, some `NAME/download/FILE-VERSION.tgz` or `NAME/VERSION/...`.
    """
    path = "/" + unquote(urlsplit(address).path or address).strip("/")
    scope, _, own = name.rpartition("/")
    if _GIT.match(address):
        return path.rpartition("/")[2].removesuffix(".git") == own
    plain = version.partition("+")[0]
    file = _ENDINGS.sub("", path.rpartition("/")[2])
    right_file = file in (f"{own}-{plain}", f"{own}-{version}", f"{own}-v{plain}")
    right_file = right_file or (not version and re.fullmatch(rf"{re.escape(own)}-v?\d.*", file) is not None)
    if "://" not in address and file == f"{name.replace('/', '-')}-{plain}":
        return True  # an archive in a folder
    before, dash, _ = path.rpartition("/-/")
    if not scope and re.search(rf"/@[^/]+/{re.escape(name)}/", f"{before}/" if dash else path):
        return False  # the package of that name in a scope
    if dash:
        return right_file and f"{before}/".endswith(f"/{name}/")
    *_, rest = path.partition(f"/{name}/")
    if rest:
        return rest.partition("/")[0] == plain or (right_file and rest.count("/") <= 1 + bool(scope))
    scopes = {part for part in path.split("/") if part.startswith("@")}
    return right_file and scopes <= {scope}


def names_python_package(file: str, name: str, version: str) -> bool:
    """Whether an archive or a wheel is of a package of Python, in any spelling, and of its version."""
    spelled = r"[-_.]+".join(re.escape(part) for part in _SEPARATORS.split(name))
    found = re.match(rf"{spelled}-v?(?:\d+!)?(\d+(?:\.\d+)*)", unquote(file), re.IGNORECASE)
    wanted = re.match(r"v?(?:\d+!)?(\d+(?:\.\d+)*)", version)
    return found is not None and (wanted is None or _release(found[1]) == _release(wanted[1]))


def answers(wanted: str, address: str) -> bool:
    """Whether an address is of the place that a requirement names, such as `owner/repo` or a URL."""
    return (tail := _tail(wanted)) != "" and tail in unquote(address).casefold()


def asked_for(address: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts names an address, by the last two parts of its path, or an alias."""
    if address.startswith("npm:"):
        return any(re.search(re.escape(address) + r"(?=[@\"'\s])", text) for text in texts)
    return (tail := _tail(address)) != "" and any(tail in text.casefold() for text in texts)


def is_place(wanted: str) -> bool:
    """Whether a requirement names a place in place of versions."""
    return not wanted.startswith(("npm:", "workspace:", "catalog:")) and ("/" in wanted or ":" in wanted)


def host(address: str) -> str:
    """Return the host of an address; empty where it has none."""
    return (urlsplit(address).hostname or "") if "://" in address else ""


def stem(address: str) -> str:
    """Return an address without the figures in it."""
    return re.sub(r"[\d.]+", "", address)


def _release(text: str) -> tuple[int, ...]:
    parts = [int(each) for each in text.split(".")]
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def _tail(place: str) -> str:
    """Return the last two parts of a place, without its commit and its endings."""
    plain = re.sub(r"^[\w+]+:(?://)?", "", unquote(re.split(r"[#?]", place, maxsplit=1)[0]))
    parts = [part for part in re.split(r"[/:]", plain) if part not in ("", ".", "..")]
    return "/".join(parts[-2:]).removesuffix(".git").casefold()
