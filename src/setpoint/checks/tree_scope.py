"""Findings count in files of the judged tree alone: its tests may write there while static tools look."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.value import spellings

_MOST_NAMED = 3


def of_tree(result: CheckResult, files: Collection[str], place: Path, *, rooted: bool) -> CheckResult:
    """Leave out findings in files that lie in the tree's place and are none of its own, and say so.

    `rooted` tells whether the check names files from the root of the tree: only then a file that is not there
    (any more) is known to be none of the tree's.
    """
    named = {each.file for each in result.findings if each.file}.difference(*map(spellings, files))
    foreign = {file for file in named if _foreign(file, files, place, rooted=rooted)}
    if not foreign:
        return result
    findings = tuple(each for each in result.findings if each.file not in foreign)
    evidence, left = result.evidence, len(result.findings) - len(findings)
    names = ", ".join(sorted(foreign)[:_MOST_NAMED])
    more = f" and {len(foreign) - _MOST_NAMED} more" if len(foreign) > _MOST_NAMED else ""
    note = f"left out {left} findings in files that are not part of the tree: {names}{more}"
    state = CheckState.PASS if evidence.state is CheckState.FAIL and not findings else evidence.state
    held = {
        "state": state,
        "counts": {**evidence.counts, "findings": len(findings)},
        "reason": "; ".join(part for part in (evidence.reason, note) if part),
    }
    return result.model_copy(update={"findings": findings, "evidence": evidence.model_copy(update=held)})


def _foreign(file: str, files: Collection[str], place: Path, *, rooted: bool) -> bool:
    path = PurePosixPath(file)
    if path.is_absolute() or ".." in path.parts:
        return False  # outside the tree: what its code rests on
    try:
        root, found = place.resolve(), (place / file).resolve()
        if not found.is_relative_to(root):
            return False  # behind a link: installed packages
        return found.relative_to(root).as_posix() not in files if found.exists() else rooted
    except (OSError, ValueError, RuntimeError):  # no name for a file, or a ring of links
        return False
