"""What tests reach, as the engine tells it, turned into values of the model."""

from __future__ import annotations

from dataclasses import asdict

from setpoint.model.cover import CoveredFile, CoveredFunction
from setpoint_probe.wire.reach import ReachResult


def files_of(result: ReachResult) -> tuple[CoveredFile, ...]:
    """Return what was reached, by file."""
    return tuple(
        CoveredFile(
            file=each.file,
            lines=each.lines,
            missed_lines=each.missed_lines,
            branches=each.branches,
            missed_branches=each.missed_branches,
            functions=tuple(CoveredFunction(**asdict(function)) for function in each.functions),
        )
        for each in result.files
    )
