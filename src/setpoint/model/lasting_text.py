"""Comparing what a command printed in two runs."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+(?:\.\d+)?")
_FOLDERS = re.compile(r"/(?:[^\s/'\":]+/)+")


def lasting(text: str) -> str:
    """Return a text without what differs from one run to the next: numbers and folders of paths."""
    return _NUMBER.sub("0", _FOLDERS.sub("/", text)).strip()
