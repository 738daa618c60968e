"""Applying the fixes that findings carry, each alone, as text edits of one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from setpoint import syntax
from setpoint.domain.edits import edited
from setpoint.domain.finding import Finding, Fix


class Applied(NamedTuple):
    """What became of one finding's fix."""

    finding: Finding
    ok: bool
    note: str
    """What was done, or why nothing was."""


def apply_fixes(root: Path, findings: Sequence[Finding]) -> list[Applied]:
    """Apply the safe fixes of findings, from the end of each file to its start so that places stay true."""
    offered = [
        (finding, finding.fix) for finding in findings if finding.fix and finding.fix.safe and finding.file
    ]
    done: list[Applied] = []
    for file in dict.fromkeys(finding.file for finding, _ in offered):
        own = [(finding, fix) for finding, fix in offered if finding.file == file]
        done += _apply_to_file(root, file, own)
    return done


def is_test(file: str) -> bool:
    """Whether a path looks like a test or its settings, which the mechanic never edits."""
    path = PurePosixPath(file)
    return (
        bool({"tests", "test"} & set(path.parts[:-1]))
        or path.name.startswith("test_")
        or path.stem.endswith("_test")
        or path.name == "conftest.py"
    )


def _apply_to_file(root: Path, file: str, offered: Sequence[tuple[Finding, Fix]]) -> list[Applied]:
    path = root / file
    if is_test(file):
        return [Applied(finding, ok=False, note="a test file, left alone") for finding, _ in offered]
    if not path.resolve().is_relative_to(root.resolve()) or not path.is_file():
        return [Applied(finding, ok=False, note="no file of the work copy") for finding, _ in offered]
    try:
        text = _read(path)
    except (OSError, UnicodeDecodeError) as error:
        return [Applied(finding, ok=False, note=f"cannot be read: {error}") for finding, _ in offered]
    done: list[Applied] = []
    lowest: tuple[int, int] | None = None
    for finding, fix in sorted(offered, key=lambda entry: _end(entry[1]), reverse=True):
        if not fix.edits or (lowest is not None and _end(fix) > lowest):
            done.append(
                Applied(
                    finding, ok=False, note="meets another fix; next time" if fix.edits else "an empty fix"
                )
            )
            continue
        try:
            new = edited(text, fix.edits)
        except ValueError as error:
            done.append(Applied(finding, ok=False, note=str(error)))
            continue
        if not _parses(file, new):
            done.append(Applied(finding, ok=False, note="the file would no longer parse"))
            continue
        text, lowest = new, _start(fix)
        done.append(Applied(finding, ok=True, note=fix.description))
    if any(each.ok for each in done):
        _write(path, text)
    return done


def _start(fix: Fix) -> tuple[int, int]:
    return min((edit.start_line, edit.start_column) for edit in fix.edits)


def _end(fix: Fix) -> tuple[int, int]:
    return max(((edit.end_line, edit.end_column) for edit in fix.edits), default=(0, 0))


def _parses(file: str, text: str) -> bool:
    if not file.endswith((".py", ".pyi")):
        return True
    try:
        syntax.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def _read(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as stream:
        return stream.read()


def _write(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.write(text)
