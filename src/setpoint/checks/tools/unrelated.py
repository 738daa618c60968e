"""Whether the failure of a command says anything about the project, or would be the same without it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from setpoint.checks import results
from setpoint.model.lasting_text import lasting
from setpoint.system.git.git import files_at
from setpoint.system.processes import Completed, run

_MOST_BYTES = 50 * 2**20
_ERROR = b")\n"
"""A syntax error in every language that Setpoint measures."""
_LEAST_S = 10.0
_TIMES = 2
"""How much longer than before the command may take."""


async def unrelated(done: Completed, commit: str) -> bool:
    """Whether a command that failed in a work copy fails in the same words whatever the project's files hold.

    Each tracked file is spoilt in place and restored afterwards: it holds a syntax error, a JSON file an
    empty object, and `go.mod` its module alone. A command that loads one of them then says something else.
    One that prints nothing is never unrelated: nothing tells two of its failures apart.
    """
    tree = done.command.cwd
    if not _answer(done):
        return False
    paths = [tree / path for path in await files_at(tree, commit)]
    kept = await asyncio.to_thread(_read, paths)
    if kept is None:
        return False
    limit_s = min(done.command.timeout_s, _LEAST_S + _TIMES * done.duration_s)
    try:
        await asyncio.to_thread(_write, {path: _spoilt(path, content) for path, content in kept.items()})
        again = await run(replace(done.command, timeout_s=limit_s))
    finally:
        await asyncio.to_thread(_write, kept)
    return again.exit_code == done.exit_code and _answer(again) == _answer(done)


def _answer(done: Completed) -> str:
    """Return what a command printed, without what differs from one run to the next."""
    text = results.output_of(done).decode("utf-8", "replace")
    return lasting(text.replace(str(done.command.cwd), "."))


def _spoilt(path: Path, content: bytes) -> bytes:
    if path.suffix == ".json":
        return b"{}\n"
    return content.partition(b"\n")[0] + b"\n" if path.name == "go.mod" else _ERROR


def _read(paths: Sequence[Path]) -> dict[Path, bytes] | None:
    """Return the contents of the files; none where they are too many bytes to hold."""
    files = [path for path in paths if path.is_file() and not path.is_symlink()]
    if sum(path.stat().st_size for path in files) > _MOST_BYTES:
        return None
    return {path: path.read_bytes() for path in files}


def _write(contents: Mapping[Path, bytes]) -> None:
    for path, content in contents.items():
        path.write_bytes(content)
