"""Read what the lock files of Python's tools say that packages state."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from setpoint.checks.proof.kinds.locks.stated import NEEDS, WANTED, Stated, put

_POETRY = re.compile(r"^# This file .*Poetry (\S+)", re.MULTILINE)
_SETTINGS = ("requires-python", "resolution-markers", "manifest")
_NOTED = ("strategy", "python-versions", "requires-python", "targets")
_NOT_HELD = ("git", "url", "path", "editable", "directory", "virtual", "file")


def python_stated(text: str) -> Stated:
    """Read `uv.lock`, `poetry.lock` and `pdm.lock`: names, and requirements as their tool writes them."""
    held = tomllib.loads(text)
    tool = _POETRY.search(text)
    noted = held.get("metadata", {})
    form = [
        tool[1] if tool else "",
        held.get("version"),
        noted.get("lock_version") or noted.get("lock-version"),
    ]
    settings = [*map(held.get, _SETTINGS), *map(noted.get, _NOTED)]
    found = Stated(
        form=json.dumps(form),
        facts={},
        loose=frozenset({WANTED}),
        settings=json.dumps(settings, sort_keys=True, default=str),
    )
    for each in held.get("package", []):
        if _is_held(each):
            names, whole = _needs(each.get("dependencies", ()))
            put(
                found,
                each["name"],
                each.get("version", ""),
                {NEEDS: names, WANTED: whole if form[0] or form[2] else ()},
            )
    return found


def _is_held(each: dict[str, Any]) -> bool:
    """Whether an index holds the package, which then never changes in one version."""
    source = each.get("source")
    held = source if isinstance(source, dict) else each
    return held.get("type", "legacy") == "legacy" and not any(kind in held for kind in _NOT_HELD)


def _needs(needs: Any) -> tuple[list[str], list[str]]:  # noqa: ANN401 - each tool has its own form
    if isinstance(needs, dict):  # Poetry, whose versions differ in whether they list those of an extra
        needs = {name: each for name, each in needs.items() if "optional" not in each}
        return [*needs], [f"{name} {json.dumps(wanted, sort_keys=True)}" for name, wanted in needs.items()]
    listed = [each for each in needs if isinstance(each, str)]  # PDM
    if listed:
        return [re.split(r"[^\w.-]", each, maxsplit=1)[0] for each in listed], listed
    return [each["name"] for each in needs if isinstance(each, dict)], []  # uv
