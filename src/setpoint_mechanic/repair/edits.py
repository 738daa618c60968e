"""The fixes that findings carry: which are tried, which fit together, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from setpoint.model import syntax
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.text_edits import spans
from setpoint.model.finding import Finding, Fix
from setpoint_mechanic.engine.wire.fixes import spliced

CURATED = (
    *("B006", "B009", "B010", "C4", "E711", "E712", "E713", "E714", "F632"),
    *("FURB", "PERF", "PIE", "RET50", "SIM", "UP"),
)
"""Rules whose fixes are tried though the tool does not call them safe: they say the same in another way.

Fixes that take something out (`print`, unused names, commented code) are not among them.
"""


class Applied(NamedTuple):
    """What became of one finding's fix."""

    finding: Finding
    ok: bool
    note: str
    """What was done, or why nothing was."""


class Offered(NamedTuple):
    """A fix that can be applied together with the others."""

    finding: Finding
    fix: Fix
    spans: tuple[tuple[int, int, str], ...]
    """Its edits as places of characters in the file as it is."""


def wanted(finding: Finding) -> bool:
    """Return whether the mechanic tries a finding's fix: one that is safe, curated, or a reviewer's edits."""
    fix = finding.fix
    if fix is None or not finding.file:
        return False
    suggested = finding.source.startswith("review:") and bool(fix.edits)
    return fix.safe or suggested or finding.rule.startswith(CURATED)


def offered_fixes(root: Path, findings: Sequence[Finding]) -> tuple[list[Offered], list[Applied]]:
    """Return the fixes that can be applied together, and those that cannot with the reason."""
    offered = [(finding, finding.fix) for finding in findings if finding.fix and wanted(finding)]
    good: list[Offered] = []
    bad: list[Applied] = []
    for file in dict.fromkeys(finding.file for finding, _ in offered):
        own = [(finding, fix) for finding, fix in offered if finding.file == file]
        fitting, refused = _of_file(root, file, own)
        good += fitting
        bad += refused
    return good, bad


def apply_fixes(root: Path, findings: Sequence[Finding]) -> list[Applied]:
    """Apply the safe fixes of findings untried, where no test can judge them."""
    good, bad = offered_fixes(root, [finding for finding in findings if finding.fix and finding.fix.safe])
    write_fixes(root, good)
    return [*(Applied(each.finding, ok=True, note=each.fix.description) for each in good), *bad]


def write_fixes(root: Path, offered: Sequence[Offered]) -> None:
    """Apply fixes that fit together to their files."""
    for file in dict.fromkeys(each.finding.file for each in offered):
        spans = [span for each in offered if each.finding.file == file for span in each.spans]
        path = root / file
        _write(path, spliced(_read(path), spans))


def _of_file(
    root: Path, file: str, offered: Sequence[tuple[Finding, Fix]]
) -> tuple[list[Offered], list[Applied]]:
    path = root / file
    why = text = ""
    if is_test_path(file):
        why = "a test file, left alone"
    elif not path.resolve().is_relative_to(root.resolve()) or not path.is_file():
        why = "no file of the work copy"
    try:
        text = text if why else _read(path)
    except (OSError, UnicodeDecodeError) as error:
        why = f"cannot be read: {error}"
    if why:
        return [], [Applied(finding, ok=False, note=why) for finding, _ in offered]
    good: list[Offered] = []
    bad: list[Applied] = []
    for finding, fix in offered:
        taken = [span for each in good for span in each.spans]
        try:
            own = _spans(file, text, fix, taken)
        except ValueError as error:
            bad.append(Applied(finding, ok=False, note=str(error)))
        else:
            good.append(Offered(finding, fix, own))
    return good, bad


def _spans(
    file: str, text: str, fix: Fix, taken: Sequence[tuple[int, int, str]]
) -> tuple[tuple[int, int, str], ...]:
    """Return the places that a fix changes; raises `ValueError` where it does not fit."""
    if not fix.edits:
        raise ValueError("an empty fix")
    own = spans(text, fix.edits)
    try:
        new = spliced(text, [*taken, *own])
    except ValueError as error:
        raise ValueError("meets another fix; next time") from error
    if not _parses(file, new):
        raise ValueError("the file would no longer parse")
    return own


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
