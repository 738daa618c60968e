"""Compare `go.mod` with `go.sum`, and `Cargo.toml` with `Cargo.lock`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

_REQUIRED = re.compile(r"^(?:require\s+)?([\w.~-]+(?:/[\w.~-]+)+|[\w-]+\.[\w.-]+)\s+(v\S+)", re.MULTILINE)
_REPLACED = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>", re.MULTILINE)
_PLAIN = re.compile(r"\^?(\d+(?:\.\d+){0,2})$")
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


def go_differs(manifest: str, lock: str) -> list[str] | None:
    """Look for the checksum of each required module; a module that is replaced has another one."""
    own = "\n".join(line.strip() for line in manifest.splitlines() if "=>" not in line)
    replaced = frozenset(_REPLACED.findall(manifest))
    return [
        f"{module} {version} has no checksum"
        for module, version in _REQUIRED.findall(own)
        if module not in replaced and f"{module} {version}/go.mod " not in lock
    ]


def cargo_differs(manifest: str, lock: str) -> list[str] | None:
    """Look for each declared crate among the locked ones, in a version that is allowed."""
    locked: dict[str, list[str]] = {}
    for each in tomllib.loads(lock).get("package", []):
        locked.setdefault(each["name"], []).append(each["version"])
    found = []
    for name, wanted in _declared(tomllib.loads(manifest)):
        if name not in locked:
            found.append(f"{name} is not locked")
        elif not any(_allowed(wanted, version) for version in locked[name]):
            found.append(f"{name} {wanted}, locked is {', '.join(locked[name])}")
    return found


def _declared(manifest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    targets = [manifest, manifest.get("workspace", {}), *manifest.get("target", {}).values()]
    for table in (target.get(name, {}) for target in targets for name in _TABLES):
        for name, wanted in table.items():
            if isinstance(wanted, str):
                yield name, wanted
            elif not wanted.get("workspace"):
                yield wanted.get("package", name), wanted.get("version", "*")


def _allowed(wanted: str, version: str) -> bool:
    """Whether a version is allowed by a plain requirement; any is by one of another form."""
    found = _PLAIN.match(wanted.strip())
    if found is None:
        return True
    least = [int(part) for part in found[1].split(".")]
    own = [int(part) for part in re.split(r"[+-]", version)[0].split(".")]
    if own < least:
        return False
    fixed = next((place for place, part in enumerate(least) if part), len(least) - 1)
    return own[: fixed + 1] == least[: fixed + 1]
