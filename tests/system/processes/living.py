"""What is still running: looked up by a mark in the command line or environment, under /proc."""

from __future__ import annotations

import time
from pathlib import Path


def marked(mark: str) -> list[int]:
    """Give the living processes that carry `mark` in their arguments."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            arguments = (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if mark.encode() in arguments and state not in (b"Z", b"X"):
            found.append(int(folder.name))
    return found


def gone(mark: str, within_s: float = 20.0) -> bool:
    """Wait until nothing with `mark` is left; the bound only keeps a failing test short."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if not marked(mark):
            return True
        time.sleep(0.02)
    return not marked(mark)


def there(mark: str, count: int, within_s: float = 20.0) -> bool:
    """Wait until `count` processes with `mark` run."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if len(marked(mark)) >= count:
            return True
        time.sleep(0.02)
    return False
