"""A run's events as statements about what it delivered, and the way back from a statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from setpoint.errors import UsageError
from setpoint.history.replay import History
from setpoint.model.ending import EXAMINED
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events import Event
from setpoint.model.events.run import IterationEvaluated, RunFinished
from setpoint.model.evidence import Cause, Evidence, Failure, Outcome, TestReport
from setpoint.model.finding import Finding
from setpoint.model.ids import Artifact, Commit, EvidenceId, TraceId, Tree
from setpoint.model.proof import Proof
from setpoint.model.reports.attestation import (
    AttestedCheck,
    AttestedFinding,
    AttestedGate,
    AttestedStory,
    EvidenceLedger,
    EvidenceStatement,
    ResourceDescriptor,
    Subject,
    TestResult,
    TestStatement,
    Verifier,
)
from setpoint.model.run import Round
from setpoint.model.suppression import Suppression
from setpoint.version import __version__

_DECISIVE = ("checks", "check", "integrity")
"""Settings that decide what is measured and how; where the interpreter lies is a matter of the machine."""


def final_evidence(events: Sequence[Event], trace_id: TraceId) -> Evaluation:
    """Return the last full measurement of what a run ended with; none of it is a `UsageError`."""
    # What people say of a run may come after its end.
    last = next((event.body for event in reversed(events) if isinstance(event.body, RunFinished)), None)
    if last is None:
        raise UsageError(f"{trace_id} is not finished", hint=f"setpoint resume {trace_id}")
    full = [
        event.body.evaluation
        for event in events
        if isinstance(event.body, IterationEvaluated)
        and event.body.evaluation.commit == last.outcome.best
        and event.body.evaluation.stage is not Stage.EVALUATE
    ]
    if not full:
        raise UsageError(
            f"{trace_id} delivered nothing that was measured in full",
            hint="there is nothing to verify; `setpoint show` tells what happened",
        )
    return full[-1]


def subjects(recorded: Evaluation, branch: str, delivered: Commit | None) -> tuple[Subject, ...]:
    """Name what a statement is about: the delivered commit, where there is one, and the tree it holds."""
    tree = Subject(name="tree", digest={"gitTree": recorded.tree})
    if delivered is None:
        return (tree,)
    return (Subject(name=branch or None, digest={"gitCommit": delivered}), tree)


def evidence_statement(past: History, recorded: Evaluation, about: tuple[Subject, ...]) -> EvidenceStatement:
    """State everything that was measured of the tree that a run ended with."""
    order, outcome = past.order, past.outcome
    passed = outcome is not None and outcome.ending in EXAMINED
    ended = max(each.started_at + timedelta(seconds=each.duration_s) for each in recorded.evidence)
    ledger = EvidenceLedger(
        verifier=Verifier(version={"setpoint": __version__}),
        time_measured=ended,
        run=past.trace_id,
        story=AttestedStory(
            id=order.story.id,
            title=order.story.title,
            acceptance=_acceptance(past),
            protected=order.story.protected,
            may_change=past.may_change,
            integrity=order.story.integrity,
            known_red=order.story.known_red,
        ),
        base=ResourceDescriptor(name="base", digest={"gitCommit": order.base}),
        result="PASSED" if passed else "FAILED",
        ending=str(outcome.ending) if outcome else "",
        verdict=outcome.verdict if outcome else "",
        agents=order.agents,
        iterations=outcome.iterations if outcome else len(past.rounds),
        stage=recorded.stage,
        settings=_decisive(order.settings),
        gates=_gates(past, recorded),
        proof=_proof(past, recorded),
        checks=tuple(_check(each) for each in recorded.evidence),
        failures=tuple(failure.test for failure in recorded.failures),
        known_red=recorded.known_red,
        flaky=recorded.flaky,
        quarantine=order.quarantine,
        findings=tuple(_finding(each) for each in recorded.findings),
        dismissed=_dismissed(past, recorded),
        restored=recorded.restored,
        quality=recorded.quality.model_dump(),
        score=recorded.score,
    )
    return EvidenceStatement(subject=about, predicate=ledger)


def _acceptance(past: History) -> tuple[str, ...]:
    """Return the commands that the story names, and those that people added."""
    given = (asked.answer.acceptance for asked in past.gates if asked.answer is not None)
    return tuple(dict.fromkeys((*past.order.story.acceptance, *filter(None, given))))


def suite_statement(
    recorded: Evaluation,
    tests: TestReport | None,
    configuration: tuple[ResourceDescriptor, ...],
    about: tuple[Subject, ...],
) -> TestStatement:
    """State how each test came out; raises `UsageError` where the tests did not run to their end."""
    if tests is None or not tests.complete:
        raise UsageError(
            "the run has no full test run that could be attested",
            hint="attest the evidence instead: setpoint admin attest --predicate evidence",
        )
    of: dict[Outcome, list[str]] = {}
    for test, outcome in tests.outcomes.items():
        of.setdefault(outcome, []).append(test)
    warned = bool(recorded.known_red or recorded.flaky)
    predicate = TestResult(
        result="FAILED" if recorded.failures else "WARNED" if warned else "PASSED",
        configuration=configuration,
        passed_tests=(*of.get(Outcome.PASSED, ()), *of.get(Outcome.XPASSED, ())),
        warned_tests=tuple(of.get(Outcome.FLAKY, ())),
        failed_tests=(*of.get(Outcome.FAILED, ()), *of.get(Outcome.ERROR, ())),
    )
    return TestStatement(subject=about, predicate=predicate)


def recorded_of(statement: EvidenceStatement, commit: Commit, tree: Tree) -> Evaluation:
    """Return a statement's evidence as an evaluation, to be compared with a new one."""
    ledger = statement.predicate
    return Evaluation(
        stage=Stage(ledger.stage),
        commit=commit,
        tree=tree,
        evidence=tuple(_evidence(each, tree) for each in ledger.checks),
        findings=tuple(_told(each) for each in ledger.findings),
        failures=tuple(Failure(test=test, cause=Cause.ASSERTION, message="") for test in ledger.failures),
        known_red=ledger.known_red,
        flaky=ledger.flaky,
        score=ledger.score,
    )


def suppressions_of(statement: EvidenceStatement) -> tuple[Suppression, ...]:
    """Return what people suppressed in a statement's run, to measure as it was measured there."""
    ledger = statement.predicate
    then = ledger.time_measured
    return tuple(
        Suppression(
            id=each.fingerprint,
            finding=_told(each),
            reason=each.suppressed,
            by="the statement",
            since=then,
            until=then,
            run=TraceId(ledger.run),
        )
        for each in ledger.findings
        if each.suppressed
    )


def _decisive(settings: str) -> dict[str, object]:
    given: dict[str, Any] = json.loads(settings)
    decisive = {name: given[name] for name in _DECISIVE if name in given}
    if "checks" in decisive:
        decisive["checks"] = {key: value for key, value in decisive["checks"].items() if key != "python"}
    return decisive


def _proof(past: History, recorded: Evaluation) -> Proof | None:
    proofs = [each.proof for each in past.rounds if each.snapshot.commit == recorded.commit]
    return proofs[-1] if proofs else None


def _gates(past: History, recorded: Evaluation) -> tuple[AttestedGate, ...]:
    rounds: list[Round] = [each for each in past.rounds if each.snapshot.commit == recorded.commit]
    return tuple(
        AttestedGate(name=gate.name, state=gate.state, reason=gate.reason, evidence=gate.evidence)
        for each in rounds[-1:]
        for gate in each.gates
    )


def _dismissed(past: History, recorded: Evaluation) -> tuple[AttestedFinding, ...]:
    verdicts = [each.verdict for each in past.rounds if each.snapshot.commit == recorded.commit]
    found = verdicts[-1].findings if verdicts and verdicts[-1] else ()
    return tuple(_finding(each) for each in found if each.suppressed)


def _check(evidence: Evidence) -> AttestedCheck:
    output = (
        ResourceDescriptor(name="output", digest={"sha256": evidence.output}) if evidence.output else None
    )
    return AttestedCheck(
        id=evidence.id,
        name=evidence.check,
        output=output,
        **evidence.model_dump(exclude={"id", "check", "tree", "output"}),
    )


def _evidence(check: AttestedCheck, tree: Tree) -> Evidence:
    digest = (check.output.digest or {}).get("sha256") if check.output else None
    return Evidence(
        id=EvidenceId(check.id),
        check=check.name,
        tree=tree,
        output=Artifact(digest) if digest else None,
        **check.model_dump(exclude={"id", "name", "output"}),
    )


def _finding(finding: Finding) -> AttestedFinding:
    named = set(AttestedFinding.model_fields) - {"fingerprint"}
    return AttestedFinding(fingerprint=finding.fingerprint, **finding.model_dump(include=named))


def _told(finding: AttestedFinding) -> Finding:
    return Finding(**finding.model_dump(exclude={"fingerprint"}))
