"""What of a reviewer's answer has no certain meaning is not an opinion."""

import json

import pytest

from model.examples import an_attempt
from setpoint.model.attempt import Usage
from setpoint.model.finding import Category, Edit, Finding, Severity
from setpoint.model.verdict import Judgement
from setpoint.phase.review_answers import read_verdict

OPEN = (
    Finding(
        source="review:code",
        severity=Severity.ERROR,
        category=Category.DESIGN,
        message="an earlier objection",
    ),
)
FOUND = {"severity": "error", "category": "correctness", "message": "wrong", "file": "a.py", "line": 3}


def read(answer):
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return read_verdict("code:someone", "code", an_attempt(text=text), OPEN)


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
        {"decision": "approve", "findings": [{"severity": "error"}]},
    ],
)
def test_what_does_not_fit_the_shape_is_no_verdict(answer):
    with pytest.raises(ValueError, match=r"JSON|the object|decision|findings|severity"):
        read(answer)


def test_an_approval_with_a_blocking_finding_is_none():
    assert read({"decision": "approve", "findings": [FOUND]}).judgement is Judgement.REQUEST_CHANGES
    minor = {**FOUND, "severity": "warning"}
    assert read({"decision": "approve", "findings": [minor]}).judgement is Judgement.APPROVE


def test_a_suggestion_becomes_a_fix_without_edits():
    (finding,) = read(
        {"decision": "approve", "findings": [{**FOUND, "suggested_fix": "round once"}]}
    ).findings
    assert (finding.fix.description, finding.fix.edits, finding.fix.safe) == ("round once", (), False)


def test_an_open_objection_is_recognised_however_it_is_worded_now():
    (found,) = read(
        {
            "decision": "request_changes",
            "findings": [{"id": OPEN[0].fingerprint, "message": "it still holds"}],
        }
    ).findings
    assert found == OPEN[0]


def test_only_open_objections_can_be_settled():
    known = {"id": OPEN[0].fingerprint, "withdrawn": True, "reason": "the maker is right"}
    verdict = read({"decision": "approve", "settled": [known, {"id": "0" * 16, "withdrawn": True}]})
    (settled,) = verdict.settled
    assert settled.fingerprint == OPEN[0].fingerprint
    assert (settled.withdrawn, settled.reason) == (True, "the maker is right")


def test_suggested_edits_replace_whole_lines():
    edits = [
        {"start_line": 3, "end_line": 4, "replacement": "new"},
        {"start_line": 9, "end_line": 9, "replacement": ""},
    ]
    (finding,) = read({"decision": "approve", "findings": [{**FOUND, "suggested_edits": edits}]}).findings
    assert finding.fix.edits == (
        Edit(start_line=3, start_column=1, end_line=5, end_column=1, text="new\n"),
        Edit(start_line=9, start_column=1, end_line=10, end_column=1, text=""),
    )


@pytest.mark.parametrize(
    "edits",
    [
        [{"start_line": 4, "end_line": 3, "replacement": "x"}],
        [{"start_line": 0, "end_line": 3, "replacement": "x"}],
        [
            {"start_line": 1, "end_line": 3, "replacement": "x"},
            {"start_line": 3, "end_line": 4, "replacement": "y"},
        ],
    ],
)
def test_edits_that_make_no_sense_are_left_out(edits):
    answer = {**FOUND, "suggested_edits": edits, "suggested_fix": "round once"}
    (finding,) = read({"decision": "approve", "findings": [answer]}).findings
    assert (finding.fix.description, finding.fix.edits) == ("round once", ())


def test_a_model_cannot_call_its_opinion_reproducible():
    answer = {"decision": "request_changes", "findings": [{**FOUND, "reproducible": True}]}
    attempts = [an_attempt(text=json.dumps(answer), usage=Usage(scope=scope)) for scope in ("turn", "none")]
    verdicts = [read_verdict("code:x", "code", each) for each in attempts]
    assert [verdict.findings[0].reproducible for verdict in verdicts] == [False, True]
