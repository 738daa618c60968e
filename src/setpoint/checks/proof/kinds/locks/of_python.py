"""Compare `pyproject.toml` with the lock files of uv, Poetry and PDM."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable
from typing import Any

_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*([^;@]*)")


def uv_differs(manifest: str, lock: str) -> list[str] | None:
    """Compare with what uv noted of the project when it locked it."""
    project = tomllib.loads(manifest).get("project", {})
    packages = tomllib.loads(lock).get("package", [])
    own = next((each for each in packages if _same(each.get("name", ""), project.get("name", ""))), None)
    if own is None:
        return None
    noted = own.get("metadata", {}).get("requires-dist", [])
    locked = {(_plain(each["name"]), _specifier(each.get("specifier", ""))) for each in noted}
    optional = project.get("optional-dependencies", {}).values()
    wanted = set(
        _requirements([*project.get("dependencies", ()), *(each for group in optional for each in group)])
    )
    known = {_plain(each["name"]) for each in packages if "name" in each}
    gone = [f"{name} is not locked" for name, _ in sorted(wanted) if name not in known]
    return gone or [f"{name} {spec}".strip() for name, spec in sorted(wanted ^ locked)]


def poetry_differs(manifest: str, lock: str) -> list[str] | None:
    """Compare with the hash that Poetry kept; where it is made in another way, the names alone."""
    data, locked = tomllib.loads(manifest), tomllib.loads(lock)
    poetry = data.get("tool", {}).get("poetry", {})
    if locked.get("metadata", {}).get("content-hash") in _poetry_hashes(data, poetry):
        return []
    known = {_plain(each["name"]) for each in locked.get("package", [])}
    declared = [name for name in poetry.get("dependencies", {}) if name != "python"]
    declared += [name for name, _ in _requirements(data.get("project", {}).get("dependencies", ()))]
    gone = [f"{name} is not locked" for name in declared if _plain(name) not in known]
    return gone or ["the content hash of the lock file is another one"]


def pdm_differs(manifest: str, lock: str) -> list[str] | None:
    """Compare the names alone."""
    project = tomllib.loads(manifest).get("project", {})
    known = {_plain(each["name"]) for each in tomllib.loads(lock).get("package", [])}
    wanted = _requirements(project.get("dependencies", ()))
    return [f"{name} is not locked" for name, _ in wanted if name not in known]


def _poetry_hashes(data: dict[str, Any], poetry: dict[str, Any]) -> set[str]:
    """Return the hashes that versions of Poetry make of a project."""
    legacy = ("dependencies", "source", "extras", "dev-dependencies")
    first: dict[str, Any] = {key: poetry.get(key) for key in legacy}
    first |= {"group": poetry["group"]} if "group" in poetry else {}
    keys = ("requires-python", "dependencies", "optional-dependencies")
    project = {key: data.get("project", {})[key] for key in keys if key in data.get("project", {})}
    own = {key: poetry[key] for key in (*legacy, "group") if poetry.get(key) is not None}
    second: dict[str, Any] = {"project": project, "tool": {"poetry": own}}
    third = (
        {**second, "dependency-groups": data["dependency-groups"]} if "dependency-groups" in data else second
    )
    dumped = (json.dumps(each, sort_keys=True).encode() for each in (first, second, third))
    return {hashlib.sha256(each).hexdigest() for each in dumped}


def _requirements(lines: Iterable[str]) -> list[tuple[str, str]]:
    found = (_REQUIREMENT.match(line) for line in lines)
    return [(_plain(each[1]), _specifier(each[2])) for each in found if each]


def _specifier(text: str) -> str:
    return ",".join(sorted(part.replace(" ", "") for part in text.strip(" ()").split(",") if part.strip()))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _same(name: str, other: str) -> bool:
    return bool(name) and _plain(name) == _plain(other)
