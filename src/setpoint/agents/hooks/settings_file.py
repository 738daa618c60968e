"""Entries in the JSON file in which an agent looks for its hooks, added and removed as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from setpoint.agents.hooks.formats import HookFormat
from setpoint.errors import UsageError

_OURS = re.compile(r"setpoint\S* hook (stop|prompt) ")
_INDENT = re.compile(r"^[ \t]+(?=\")", re.MULTILINE)
_Table = dict[str, Any]


def with_hooks(text: str, path: str, form: HookFormat, entries: Mapping[str, Mapping[str, object]]) -> str:
    """Return the text of a file with the hooks of Setpoint in it, once; everything else stays.

    `entries` are the entries by event. Raises `UsageError` where the file is not what the agent reads.
    """
    settings = _without(_read(text, path), path)
    for key, value in form.top.items():
        settings.setdefault(key, value)
    hooks = settings.setdefault("hooks", {})
    for event, entry in entries.items():
        hooks.setdefault(event, []).append({"hooks": [entry]} if form.shape == "grouped" else entry)
    return _written(settings, text)


def without_hooks(text: str, path: str) -> str:
    """Return the text of a file without the hooks of Setpoint; empty where nothing else is in it."""
    read = _read(text, path)
    settings = _without(_read(text, path), path)
    if settings == read:
        return text
    return _written(settings, text) if set(settings) - {"version"} else ""


def _without(settings: _Table, path: str) -> _Table:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise _wrong(path, "'hooks' is not an object")
    for event in list(hooks):
        if not isinstance(hooks[event], list):
            if event in ("enabled", "disabled", "notifications"):  # older Gemini CLI keeps switches here
                continue
            raise _wrong(path, f"'hooks.{event}' is not a list")
        kept = [left for each in hooks[event] if (left := _kept(each)) is not None]
        if kept == hooks[event]:
            continue
        hooks[event] = kept
        if not kept:
            del hooks[event]
            if not hooks:
                del settings["hooks"]
    return settings


def _kept(entry: object) -> object:
    """Return an entry, or a group of entries, without ours; none where nothing is left."""
    if not isinstance(entry, dict):
        return entry
    if _OURS.search(str(entry.get("command", ""))):
        return None
    inner = entry.get("hooks")
    if not isinstance(inner, list):
        return entry
    left = [each for each in inner if not (isinstance(each, dict) and _kept(each) is None)]
    if left == inner:
        return entry
    return {**entry, "hooks": left} if left else None


def _read(text: str, path: str) -> _Table:
    if not text.strip():
        return {}
    try:
        settings = json.loads(text, object_pairs_hook=_once)
    except ValueError as error:
        raise _wrong(path, f"not valid JSON: {error}") from None
    if not isinstance(settings, dict):
        raise _wrong(path, "not a JSON object")
    return cast("_Table", settings)


def _once(pairs: list[tuple[str, object]]) -> _Table:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key '{twice}' appears twice in one object")
    return table


def _wrong(path: str, why: str) -> UsageError:
    return UsageError(
        f"{path}: {why}; nothing was written", hint="correct the file (JSON without comments) and repeat"
    )


def _written(settings: _Table, before: str) -> str:
    found = _INDENT.search(before)
    text = json.dumps(settings, indent=found[0] if found else 2, ensure_ascii=False)
    text = text if before.strip() and not before.endswith("\n") else f"{text}\n"
    return text.replace("\n", "\r\n") if "\r\n" in before else text
