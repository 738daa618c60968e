"""Statements say what was recorded, in the shapes that in-toto's own library reads."""

import json

import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor as TheirDescriptor
from in_toto_attestation.v1.statement import Statement as TheirStatement

from history.report_runs import recorded
from model.examples import COMMIT, EXAMPLES, ORDER
from setpoint.errors import UsageError
from setpoint.history.attestation.files import written
from setpoint.history.attestation.statements import (
    evidence_statement,
    final_evidence,
    recorded_of,
    subjects,
    suite_statement,
)
from setpoint.history.replay import history
from setpoint.model import evidence
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import HaltingDecided, IterationEvaluated
from setpoint.model.evidence import CheckState, Outcome
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Artifact, Commit, TraceId, Tree
from setpoint.model.reports.attestation import ResourceDescriptor
from setpoint.model.verdict import HardGate
from setpoint.testing import Scene, evaluation

TREE = Tree("d" * 40)
DELIVERED = Commit("e" * 40)
SHAKY = Finding(
    source="ruff",
    rule="F401",
    severity=Severity.WARNING,
    category=Category.STYLE,
    message="`os` imported but unused",
    file="src/cart.py",
    line=3,
    text="import os",
)
MEASURED = evaluation(Stage.TEST, COMMIT, TREE, Scene(findings=(SHAKY,), flaky=("t::shaky",), passed=2))
GATE = HardGate(name="tests", state=CheckState.PASS, evidence=(MEASURED.evidence[-2].id,))
TESTS = evidence.TestReport(
    outcomes={
        "t::good": Outcome.PASSED,
        "t::better": Outcome.XPASSED,
        "t::shaky": Outcome.FLAKY,
        "t::later": Outcome.SKIPPED,
    }
)


def a_run(measured=MEASURED):
    settings = {
        "checks": {"python": "/here/bin/python", "reruns": 2},
        "check": {},
        "agents": {"maker": "x"},
    }
    started = EXAMPLES["run.started"].model_copy(
        update={"order": ORDER.model_copy(update={"settings": json.dumps(settings)})}
    )
    decided = EXAMPLES["halting.decided"].model_copy(update={"gates": (GATE,)})
    assert isinstance(decided, HaltingDecided)
    quick = evaluation(Stage.EVALUATE, COMMIT, TREE)
    return recorded(
        started,
        EXAMPLES["agent.finished"],
        IterationEvaluated(iteration=1, evaluation=quick),
        IterationEvaluated(iteration=1, evaluation=measured),
        EXAMPLES["proof.measured"],
        decided,
        EXAMPLES["run.finished"],
    )


def the_evidence(measured=MEASURED):
    events = a_run(measured)
    return evidence_statement(
        history(events), final_evidence(events, ORDER.trace_id), subjects(measured, "setpoint/x", DELIVERED)
    )


def read_by_theirs(statement):
    """Let in-toto's library read and validate a statement; unknown names are an error there."""
    theirs = TheirStatement.copy_from_pb(json_format.Parse(written(statement), statement_pb2.Statement()))
    theirs.validate()
    return theirs.pb


def test_the_subject_is_the_delivered_commit_and_its_tree():
    plain = json.loads(written(the_evidence()))
    assert plain["_type"] == "https://in-toto.io/Statement/v1"
    assert plain["subject"] == [
        {"name": "setpoint/x", "digest": {"gitCommit": DELIVERED}},
        {"name": "tree", "digest": {"gitTree": TREE}},
    ]
    assert subjects(MEASURED, "", None)[0].digest == {"gitTree": TREE}


def test_intotos_library_reads_the_evidence():
    theirs = read_by_theirs(the_evidence())
    assert theirs.predicate_type == "urn:setpoint:predicate:evidence:v1"
    assert theirs.predicate["checks"][0]["name"] == MEASURED.evidence[0].check
    assert theirs.predicate["base"]["digest"]["gitCommit"] == ORDER.base
    assert theirs.predicate["proof"]["obligations"][0]["name"] == "witness"


def test_intotos_library_reads_the_test_result_as_its_own_predicate():
    configuration = (
        ResourceDescriptor(name="command", content="WyJweXRlc3QiXQ==", media_type="application/json"),
        ResourceDescriptor(name="pyproject.toml", digest={"gitBlob": "f" * 40}),
    )
    statement = suite_statement(MEASURED, TESTS, configuration, subjects(MEASURED, "", None))
    read_by_theirs(statement)
    predicate = json.dumps(json.loads(written(statement))["predicate"])
    theirs = json_format.Parse(predicate, test_result_pb2.TestResult())
    assert theirs.result == "WARNED"
    assert list(theirs.passed_tests) == ["t::good", "t::better"]
    assert list(theirs.warned_tests) == ["t::shaky"]
    assert list(theirs.failed_tests) == []
    assert [each.name for each in theirs.configuration] == ["command", "pyproject.toml"]
    for each in theirs.configuration:
        TheirDescriptor.copy_from_pb(each).validate()


@pytest.mark.parametrize(
    ("scene", "result"),
    [
        (Scene(), "PASSED"),
        (Scene(known_red=("t::old",)), "WARNED"),
        (Scene(failing=("t::bad",), flaky=("t::shaky",)), "FAILED"),
    ],
)
def test_what_counts_against_the_tree_decides_the_result(scene, result):
    measured = evaluation(Stage.TEST, COMMIT, TREE, scene)
    assert suite_statement(measured, TESTS, (), subjects(measured, "", None)).predicate.result == result


def test_a_suite_that_did_not_run_in_full_is_not_attested():
    partial = TESTS.model_copy(update={"complete": False})
    for tests in (None, partial):
        with pytest.raises(UsageError, match="no full test run"):
            suite_statement(MEASURED, tests, (), subjects(MEASURED, "", None))


def test_the_ledger_holds_checks_gates_findings_and_what_decided_them():
    ledger = the_evidence().predicate
    assert (ledger.result, ledger.ending, ledger.stage) == ("PASSED", "verified", "test")
    assert [gate.evidence for gate in ledger.gates] == [GATE.evidence]
    assert [each.fingerprint for each in ledger.findings] == [SHAKY.fingerprint]
    assert ledger.settings == {"checks": {"reruns": 2}, "check": {}}
    assert ledger.story.known_red is ORDER.story.known_red


def test_output_is_named_by_its_hash_and_comes_back():
    first = MEASURED.evidence[0].model_copy(update={"output": Artifact("a" * 64), "exit_code": 0})
    measured = MEASURED.model_copy(update={"evidence": (first, *MEASURED.evidence[1:])})
    statement = the_evidence(measured)
    assert json.loads(written(statement))["predicate"]["checks"][0]["output"]["digest"] == {
        "sha256": "a" * 64
    }
    again = recorded_of(statement, Commit(measured.commit), TREE)
    assert again.evidence == measured.evidence
    assert again.findings == measured.findings
    assert (again.flaky, again.stage) == (measured.flaky, measured.stage)


def test_a_run_without_a_full_measurement_has_nothing_to_attest():
    events = a_run()
    with pytest.raises(UsageError, match="not finished"):
        final_evidence(events[:-1], TraceId("run-1"))
    with pytest.raises(UsageError, match="measured in full"):
        final_evidence((*events[:3], events[-1]), TraceId("run-1"))
