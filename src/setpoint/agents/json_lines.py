"""Reads the JSON objects that agents print, a line each, into data that can be kept and shown."""

from __future__ import annotations

import json
import re
from typing import Any

from setpoint.model.value import writable

_HALVES = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
"""Where halves of a character may be: as escapes, or encoded as UTF-8 forbids."""


def object_of(line: bytes) -> dict[str, Any] | None:
    """Read a line; none if it contains no object. Halves of characters, which no file holds, are escaped."""
    try:
        told = json.loads(line)
        if _HALVES.search(line):
            told = _whole(told)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _whole(data: object) -> object:
    if isinstance(data, str):
        return writable(data)
    if isinstance(data, list):
        return [_whole(each) for each in data]
    if isinstance(data, dict):
        return {writable(key): _whole(value) for key, value in data.items()}
    return data
