"""Paths in what agents read: those of the measured tree become paths of the work copy, from its root."""

from __future__ import annotations

import re
from pathlib import Path

from setpoint.model.evaluation import Evaluation


def from_the_root(evaluation: Evaluation, place: Path) -> Evaluation:
    """Return an evaluation whose texts do not name the places in which the tree was measured."""
    names = dict.fromkeys((str(place), str(place.resolve())))
    places = re.compile(rf"(?:{'|'.join(map(re.escape, names))})(?:\.\w+)?/")

    def told(text: str) -> str:
        return places.sub("", text)

    findings = [
        each.model_copy(update={"message": told(each.message), "detail": told(each.detail)})
        for each in evaluation.findings
    ]
    failures = [
        each.model_copy(update={"message": told(each.message), "detail": told(each.detail)})
        for each in evaluation.failures
    ]
    return evaluation.model_copy(update={"findings": tuple(findings), "failures": tuple(failures)})
