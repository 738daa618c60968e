"""What earlier attempts tried: patches that did not satisfy the loop are not offered again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from setpoint.model.attempt import Tried
from setpoint_mechanic.engine.wire.repair import digest


def tried_digests(tried: Sequence[Tried]) -> tuple[str, ...]:
    """Return the digests of all single-file changes that earlier attempts made."""
    return tuple(dict.fromkeys(found for each in tried for found in _digests(each.diff)))


def _digests(diff: str) -> Iterator[str]:
    """Split a diff by file and recognise each part, as a whole and hunk by hunk."""
    for name, part in _by_file(diff):
        yield digest(name, part)
        hunks = re.split(r"^(?=@@ )", part, flags=re.MULTILINE)[1:]
        if len(hunks) > 1:
            yield from (digest(name, hunk) for hunk in hunks)


def _by_file(diff: str) -> Iterator[tuple[str, str]]:
    starts = list(re.finditer(r"^--- .*\n\+\+\+ b/([^\t\n]*)", diff, re.MULTILINE))
    for place, match in enumerate(starts):
        end = starts[place + 1].start() if place + 1 < len(starts) else len(diff)
        body = diff[match.end() : end]
        yield match.group(1), body.split("\ndiff --git ", 1)[0]
