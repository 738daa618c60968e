"""What the project's files compile to, kept by their content from one run of its tests to the next."""

from __future__ import annotations

from pathlib import Path

MOST_FILES = 5_000
"""More than these are not kept: what was not asked for the longest goes first."""


def told(folder: Path, *, take: bool) -> str:
    """Say to the plugin (`inside/setpoint_bytecode.py`) where bytecode is kept, and whether it is used."""
    folder.mkdir(parents=True, exist_ok=True)
    if not take:
        trim(folder)
    return f"{'take' if take else 'keep'}:{folder}"


def trim(folder: Path, most: int = MOST_FILES) -> None:
    """Remove what is too much of it."""
    dated = []
    for path in folder.iterdir():
        try:
            dated.append((path.stat().st_mtime_ns, path))
        except FileNotFoundError:  # another run of the project removed it, or has written it in full
            continue
    for _, path in sorted(dated, reverse=True)[most:]:
        path.unlink(missing_ok=True)
