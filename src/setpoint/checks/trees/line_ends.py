"""Keep line ends and modes of files that a maker wrote again as a whole, where nobody asked for others.

Many editing tools write a whole file with the ends that they know, and without the right to execute it.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from setpoint.model.ids import Commit
from setpoint.ports import WorkCopy
from setpoint.system.git.git import ask, contents, git, located

MOST_BYTES = 8 << 20
_LF, _CRLF = b"\n", b"\r\n"
_ASKED = re.compile(
    r"\b(?:crlf|lf|eol|line[ -]?end(?:ing)?s?|line breaks?|carriage returns?|dos2unix|unix2dos"
    r"|gitattributes)\b",
    re.IGNORECASE,
)
_MODE_ASKED = re.compile(r"\b(?:chmod|executable|mode|permissions?)\b", re.IGNORECASE)
_ATTRIBUTES = ".gitattributes"
_EXECUTABLE, _PLAIN = "100755", "100644"


class _Changed(NamedTuple):
    path: str
    was: str
    """Its mode at the base."""
    mode: str


async def keep_line_ends(copy: WorkCopy, base: Commit, wish: str) -> None:
    """Give files of the work copy back what they had at the base; `wish` is the request.

    Where all lines of a file ended in CRLF, they do so again; where all ended in LF and all end in CRLF now,
    they end in LF. Nothing happens where the request or a change of `.gitattributes` asks for other ends.
    """
    root, place = Path(copy.path), located(copy.repository, copy.path)
    if not root.is_dir():
        return  # the snapshot makes it again
    listed = (await git(root, "diff-index", "-z", "--diff-filter=M", base, environment=place)).stdout
    changed = [*_read(listed)]
    if not _MODE_ASKED.search(wish):
        for each in changed:
            if (each.was, each.mode) == (_EXECUTABLE, _PLAIN):
                _executable(root / each.path)
    if _ASKED.search(wish) or any(each.path.endswith(_ATTRIBUTES) for each in changed):
        return
    plain = [each.path for each in changed if each.mode != "120000" and _may_read(root / each.path)]
    before = await contents(copy.repository or root, base, [_ATTRIBUTES, *plain])
    if (root / _ATTRIBUTES).exists() and _ATTRIBUTES not in before:
        return
    for path in plain:
        now = await asyncio.to_thread((root / path).read_bytes)
        if _kept(before[path], now) == now:
            continue
        # What git writes to the disk may have other ends than what it holds.
        shown = await ask(root, "cat-file", "--filters", f"{base}:{path}", environment=place)
        if shown.ok and (kept := _kept(shown.stdout, now)) != now:
            await asyncio.to_thread((root / path).write_bytes, kept)


def _kept(before: bytes, now: bytes) -> bytes:
    """Return a text with the line ends that all lines had before."""
    was, new = _ends(before), _ends(now)
    if was == {_CRLF} and _LF in new:
        return now.replace(_CRLF, _LF).replace(_LF, _CRLF)
    return now.replace(_CRLF, _LF) if (was, new) == ({_LF}, {_CRLF}) else now


def _ends(text: bytes) -> set[bytes]:
    """Return the line ends in a text; none in anything else."""
    if b"\0" in text:
        return set()
    found = text.count(_CRLF)
    return {end for end, count in ((_CRLF, found), (_LF, text.count(_LF) - found)) if count}


def _may_read(place: Path) -> bool:
    try:
        seen = place.lstat()
    except OSError:
        return False
    return stat.S_ISREG(seen.st_mode) and seen.st_size <= MOST_BYTES and os.access(place, os.R_OK | os.W_OK)


def _executable(place: Path) -> None:
    if _may_read(place):
        mode = stat.S_IMODE(place.lstat().st_mode)
        place.chmod(mode | (mode & 0o444) >> 2)


def _read(listed: bytes) -> Iterator[_Changed]:
    fields = listed.split(b"\0")
    for facts, path in zip(fields[::2], fields[1::2], strict=False):
        was, mode = facts.decode().lstrip(":").split()[:2]
        yield _Changed(os.fsdecode(path), was, mode)
