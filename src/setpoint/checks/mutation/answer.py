"""What became of mutants, as the engine tells it, turned into values of the model."""

from __future__ import annotations

from dataclasses import asdict

from setpoint.model.mutation import Mutant, MutationReport
from setpoint_probe.wire.score import ScoreResult


def report_of(result: ScoreResult) -> MutationReport:
    """Return the report of a score; raises `ValueError` where the engine told what cannot be."""
    known = {name: value for name, value in asdict(result).items() if name in MutationReport.model_fields}
    mutants = tuple(Mutant.model_validate(asdict(each)) for each in result.judged)
    return MutationReport.model_validate({**known, "mutants": mutants})
