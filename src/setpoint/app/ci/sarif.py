"""The problems of a change as SARIF 2.1.0, for the code scanning of a forge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

from setpoint.model.ci_report import Level, Problem

_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTICE: "note"}
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(problems: Sequence[Problem], version: str) -> str:
    """Write all problems that lie in a file; a problem without one has no place that a forge could show."""
    placed = [each for each in problems if each.file]
    rules = sorted({_rule(each) for each in placed})
    run = {
        "tool": {
            "driver": {
                "name": "Setpoint",
                "version": version,
                "rules": [{"id": rule, "shortDescription": {"text": rule}} for rule in rules],
            }
        },
        "results": [_result(each, rules) for each in placed],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _rule(each: Problem) -> str:
    return f"{each.kind}/{each.rule}" if each.rule else each.kind


def _result(each: Problem, rules: list[str]) -> dict[str, object]:
    place: dict[str, object] = {
        "artifactLocation": {"uri": quote(each.file, safe="/")},
        "region": {"startLine": max(each.line, 1)},
    }
    found: dict[str, object] = {
        "ruleId": _rule(each),
        "ruleIndex": rules.index(_rule(each)),
        "level": _LEVELS[each.level],
        "message": {"text": f"{each.title}: {each.message}"},
        "locations": [{"physicalLocation": place}],
    }
    if each.fingerprint:
        found["partialFingerprints"] = {"setpoint/v1": each.fingerprint}
    return found
