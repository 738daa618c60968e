"""Compare `package.json` with the lock files of npm, Yarn and pnpm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import yaml

_TABLES = ("dependencies", "devDependencies", "optionalDependencies")


def npm_differs(manifest: str, lock: str) -> list[str] | None:
    """Compare with the copy of the declarations that npm keeps in the lock file."""
    declared, locked = json.loads(manifest), json.loads(lock)
    packages = locked.get("packages")
    if packages is None:  # the first version of the format
        known = locked.get("dependencies", {})
        return [f"{name} is not locked" for name, _ in _declared(declared) if name not in known]
    noted = dict(_declared(packages.get("", {})))
    wanted = dict(_declared(declared))
    found = [
        f"{name} {wanted.get(name) or noted[name]}"
        for name in {**wanted, **noted}
        if wanted.get(name) != noted.get(name)
    ]
    return found or [f"{name} is not locked" for name in wanted if f"node_modules/{name}" not in packages]


def yarn_differs(manifest: str, lock: str) -> list[str] | None:
    """Look for each declaration among the entries."""
    return [
        f"{name}@{wanted} is not locked"
        for name, wanted in _declared(json.loads(manifest))
        if f"{name}@{wanted}" not in lock and f"{name}@npm:{wanted}" not in lock
    ]


def pnpm_differs(manifest: str, lock: str) -> list[str] | None:
    """Compare with the declarations that pnpm keeps of the package at the root."""
    locked = yaml.safe_load(lock)
    own = locked.get("importers", {}).get(".", locked)
    noted = {
        name: each.get("specifier") if isinstance(each, dict) else locked.get("specifiers", {}).get(name)
        for table in _TABLES
        for name, each in (own.get(table) or {}).items()
    }
    wanted = dict(_declared(json.loads(manifest)))
    return [
        f"{name} {wanted.get(name) or noted[name]}"
        for name in {**wanted, **noted}
        if wanted.get(name) != noted.get(name)
    ]


def _declared(manifest: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for table in _TABLES:
        yield from (manifest.get(table) or {}).items()
