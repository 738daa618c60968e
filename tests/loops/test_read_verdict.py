"""A reviewer's answer is read strictly: what cannot be read is a broken reviewer, not an opinion."""

import json

import pytest

from domain.examples import an_attempt
from setpoint.domain.attempt import Breakage, BreakageKind, Stop
from setpoint.domain.verdict import Judgement
from setpoint.loops.review import read_verdict

FOUND = {"severity": "error", "category": "correctness", "message": "wrong", "file": "a.py", "line": 3}


def read(answer):
    return read_verdict("code", an_attempt(text=answer if isinstance(answer, str) else json.dumps(answer)))


@pytest.mark.parametrize("around", ["{}", "Well:\n{}\nThat is all.", "```json\n{}\n```", "```\n{}\n```"])
def test_the_object_is_found_in_what_surrounds_it(around):
    answer = json.dumps({"decision": "request_changes", "findings": [FOUND], "feedback": "mend it"})
    verdict = read(around.replace("{}", answer))
    assert (verdict.judgement, verdict.feedback) == (Judgement.REQUEST_CHANGES, "mend it")
    (finding,) = verdict.findings
    assert (finding.source, finding.file, finding.line, finding.confidence) == ("review:code", "a.py", 3, 1.0)
    assert not finding.reproducible


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "All good!",
        "} {",
        "[]",
        "{}",
        {"findings": []},
        {"decision": "fine"},
        {"decision": "approve", "findings": None},
        {"decision": "approve", "findings": 5},
        {"decision": "approve", "findings": ["wrong"]},
        {"decision": "approve", "findings": [{**FOUND, "severity": "awful"}]},
        {"decision": "approve", "findings": [{**FOUND, "category": "taste"}]},
        {"decision": "approve", "findings": [{**FOUND, "line": "many"}]},
        {"decision": "approve", "findings": [{"severity": "error"}]},
    ],
)
def test_what_cannot_be_read_is_a_broken_reviewer(answer):
    verdict = read(answer)
    assert verdict.judgement is Judgement.FAILED
    assert "not the JSON object that was asked for" in verdict.feedback


def test_an_approval_with_a_blocking_finding_is_none():
    assert read({"decision": "approve", "findings": [FOUND]}).judgement is Judgement.REQUEST_CHANGES
    minor = {**FOUND, "severity": "warning"}
    assert read({"decision": "approve", "findings": [minor]}).judgement is Judgement.APPROVE


def test_a_suggestion_becomes_a_fix_without_edits():
    (finding,) = read(
        {"decision": "approve", "findings": [{**FOUND, "suggested_fix": "round once"}]}
    ).findings
    assert (finding.fix.description, finding.fix.edits, finding.fix.safe) == ("round once", (), False)


def test_a_broken_attempt_is_a_broken_reviewer():
    breakage = Breakage(kind=BreakageKind.CRASH, message="it died")
    verdict = read_verdict("code", an_attempt(stop=Stop.BROKEN, breakage=breakage))
    assert (verdict.judgement, verdict.feedback) == (Judgement.FAILED, "it died")
