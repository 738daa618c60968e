"""Change the file of the settings without changing its other lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setpoint.errors import UsageError

_HEADER = re.compile(r"^\s*\[")


def settings_file(root: Path) -> tuple[Path, str]:
    """Return the file that holds the settings, with its text."""
    path = root / "setpoint.toml"
    if not path.is_file() and "setpoint" in _tools(root):
        hint = "move [tool.setpoint] to setpoint.toml, or write the values yourself"
        raise UsageError("the settings are in pyproject.toml, which is not changed", hint=hint)
    return path, path.read_text("utf-8") if path.is_file() else ""


def _tools(root: Path) -> Mapping[str, Any]:
    project = root / "pyproject.toml"
    found = tomllib.loads(project.read_text("utf-8")).get("tool", {}) if project.is_file() else {}
    return found if isinstance(found, dict) else {}


def edited(text: str, table: str, new: list[str]) -> str:
    """Replace keys below the header of a table, or add them; a table that is not there comes last."""
    header, keys = f"[{table}]", {line.partition(" = ")[0] for line in new}
    found, inside, placed = list[str](), False, False
    for line in text.splitlines():
        if _HEADER.match(line):
            inside = line.split("#")[0].strip() == header
        if inside and line.partition("=")[0].strip() in keys:
            continue
        found.append(line)
        if inside and not placed:
            found += new
            placed = True
    if not placed:
        found += [*([""] if found else []), header, *new]
    return "\n".join(found) + "\n"
