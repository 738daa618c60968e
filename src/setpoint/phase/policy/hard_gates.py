"""The hard gates: a round is verified only if each of them passes, whatever the quality score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import NO_SUITE, SUITES, CheckState, Evidence
from setpoint.model.finding import Category, Finding
from setpoint.model.goals import PREFIX, GoalMode, GoalResult, GoalState
from setpoint.model.proof import Obligation, ObligationState
from setpoint.model.quality import Metric
from setpoint.model.run import Round
from setpoint.model.verdict import HardGate, Judgement
from setpoint.phase.policy.provable import NO_TESTS
from setpoint.phase.policy.verifiers import in_words

_MOST_NAMED = 3
_FINDING_GATES = (
    ("integrity", Category.INTEGRITY, None),
    ("security", Category.SECURITY, Metric.SECURITY),
    ("types", Category.TYPES, Metric.TYPES),
)
"""Name, category of findings, and the metric that proves that a check measured it."""
_GATED_CHECKS = frozenset({"parse", "integrity", *SUITES})
_ACCEPTANCE = "acceptance:"


def hard_gates(past: Round, unmeasured: Sequence[Evidence] = ()) -> tuple[HardGate, ...]:
    """Judge every gate on a round's furthest evaluation; a gate never reached is an error, not a pass.

    `unmeasured` are suites that broke at the base, so that nothing can be compared with it.
    """
    evaluation, tests = past.evaluation, past.tests
    proving = past.confirmation or tests
    seen = (evaluation,) if proving is None else (evaluation, proving)
    gates = [_change(past), _check("build", evaluation.evidence_of("parse"))]
    gates += [_findings(name, category, metric, seen) for name, category, metric in _FINDING_GATES]
    gates += [_review(past), _others(seen)]
    if unmeasured:
        reason = f"the base was not measured: {in_words(unmeasured)}"
        proof = tuple(each.id for each in unmeasured)
        gates.append(HardGate(name="baseline", state=CheckState.ERROR, reason=reason, evidence=proof))
    if proving is None:
        # Tests that ran before the full suite send the work back, too.
        early = _tests(evaluation)
        gates.append(early if early.state in (CheckState.FAIL, CheckState.ERROR) else _not_reached("tests"))
        gates += map(_not_reached, ("acceptance", "proof"))
    else:
        gates += [_tests(proving), _acceptance(proving.evidence)]
        gates.append(_proof(gates[-2:]))
        gates += [_goal(each) for each in proving.goals if each.mode is GoalMode.GATE]
    if past.proof is not None:
        gates += [_obligation(each) for each in past.proof.obligations]
    return tuple(gates)


def _not_reached(name: str) -> HardGate:
    return HardGate(name=name, state=CheckState.ERROR, reason="not reached: something before it blocks")


def _goal(result: GoalResult) -> HardGate:
    """Judge a goal that the work must reach; one that no check could measure is not reached."""
    state = CheckState.FAIL if result.gated else CheckState.PASS
    if result.state is GoalState.NOT_APPLICABLE:
        state = CheckState.NOT_MEASURED
    return HardGate(name=f"{PREFIX}{result.name}", state=state, reason=result.told)


def _obligation(obligation: Obligation) -> HardGate:
    """Judge one thing that must be proved."""
    if obligation.state is ObligationState.MET:
        return HardGate(name=obligation.name, state=CheckState.PASS, reason=obligation.told)
    if obligation.state is ObligationState.NOT_APPLICABLE:
        reason = f"does not apply: {obligation.told}"
        return HardGate(name=obligation.name, state=CheckState.NOT_MEASURED, reason=reason)
    return HardGate(name=obligation.name, state=CheckState.FAIL, reason=obligation.told)


def _change(past: Round) -> HardGate:
    if past.changed_against_base:
        return HardGate(name="change", state=CheckState.PASS)
    return HardGate(name="change", state=CheckState.FAIL, reason="nothing differs from the base commit")


def _check(name: str, evidence: Evidence | None) -> HardGate:
    if evidence is None:
        return HardGate(name=name, state=CheckState.NOT_MEASURED, reason="no such check in this project")
    state = CheckState.PASS if evidence.state is CheckState.FLAKY else evidence.state
    return HardGate(name=name, state=state, reason=evidence.reason, evidence=(evidence.id,))


def _findings(
    name: str, category: Category, metric: Metric | None, evaluations: tuple[Evaluation, ...]
) -> HardGate:
    found = [finding for finding in _blocking(evaluations) if finding.category is category]
    records = [
        record
        for each in evaluations
        for record in each.evidence
        if (record.check == name if metric is None else metric in record.feeds)
    ]
    broken = [record for record in records if record.state is CheckState.ERROR]
    made = [record for record in records if record.state is not CheckState.NOT_MEASURED]
    evidence = next(iter(broken or made or records), None)
    proof = (evidence.id,) if evidence else ()
    if found:
        return HardGate(name=name, state=CheckState.FAIL, reason=_listed(found), evidence=proof)
    if evidence is None:
        reason = f"no check of this project measures {name}"
        return HardGate(name=name, state=CheckState.NOT_MEASURED, reason=reason)
    state = (
        evidence.state if evidence.state in (CheckState.ERROR, CheckState.NOT_MEASURED) else CheckState.PASS
    )
    return HardGate(name=name, state=state, reason=evidence.reason, evidence=proof)


def _gated(record: Evidence) -> bool:
    """Whether a check has its own gate."""
    proves = any(metric in record.feeds for _, _, metric in _FINDING_GATES)
    return proves or record.check in _GATED_CHECKS or record.check.startswith(_ACCEPTANCE)


def _others(evaluations: tuple[Evaluation, ...]) -> HardGate:
    """Judge checks without their own gate: a blocking finding keeps the round from being verified."""
    gated = {category for _, category, _ in _FINDING_GATES}
    found = [finding for finding in _blocking(evaluations) if finding.category not in gated]
    if found:
        return HardGate(name="checks", state=CheckState.FAIL, reason=_listed(found))
    broken = {
        record.check: record
        for evaluation in evaluations
        for record in evaluation.broken
        if not _gated(record)
    }
    if broken:
        reason = "; ".join(f"{check} broke: {each.reason}" for check, each in broken.items())
        proof = tuple(each.id for each in broken.values())
        return HardGate(name="checks", state=CheckState.ERROR, reason=reason, evidence=proof)
    return HardGate(name="checks", state=CheckState.PASS)


def _review(past: Round) -> HardGate:
    if past.verdict is None and past.tests is not None:
        return HardGate(name="review", state=CheckState.NOT_MEASURED, reason="the pipeline has no review")
    if past.verdict is None:
        return _not_reached("review")
    if past.verdict.judgement is Judgement.FAILED:
        return HardGate(
            name="review", state=CheckState.ERROR, reason=f"the reviewer broke: {past.verdict.feedback}"
        )
    blocking = past.verdict.blocking
    if blocking or past.verdict.judgement is not Judgement.APPROVE:
        wants = f"{past.verdict.judgement}: {past.verdict.feedback or 'no reason was given'}"
        reason = _listed(blocking) if blocking else wants
        return HardGate(name="review", state=CheckState.FAIL, reason=reason)
    left = [
        f"{each.fingerprint} withdrawn by the reviewer" for each in past.verdict.settled if each.withdrawn
    ]
    left += [past.verdict.advice] if past.verdict.advice else []
    return HardGate(
        name="review", state=CheckState.PASS, reason="; ".join(left), evidence=past.verdict.evidence
    )


def _tests(evaluation: Evaluation) -> HardGate:
    suites = evaluation.suites
    if not suites:
        known = evaluation.evidence_of(NO_SUITE)
        reason = known.reason if known else NO_TESTS
        return HardGate(name="tests", state=CheckState.NOT_MEASURED, reason=reason)
    worst, proof = suites[0], tuple(each.id for each in suites)
    if worst.state in (CheckState.ERROR, CheckState.NOT_MEASURED):
        return HardGate(name="tests", state=worst.state, reason=worst.reason, evidence=proof)
    told = evaluation.failures or evaluation.known_red or evaluation.flaky
    if worst.state is CheckState.FAIL and not told:
        reason = f"{worst.check} failed and no failing test is known"
        return HardGate(name="tests", state=CheckState.ERROR, reason=reason, evidence=proof)
    if evaluation.failures:
        names = ", ".join(failure.test for failure in evaluation.failures[:_MOST_NAMED])
        more = ", ..." if len(evaluation.failures) > _MOST_NAMED else ""
        reason = f"{len(evaluation.failures)} failing: {names}{more}"
        return HardGate(name="tests", state=CheckState.FAIL, reason=reason, evidence=proof)
    return HardGate(name="tests", state=CheckState.PASS, evidence=proof)


def _acceptance(evidence: tuple[Evidence, ...]) -> HardGate:
    commands = [each for each in evidence if each.check.startswith(_ACCEPTANCE)]
    proof = tuple(each.id for each in commands)
    if not commands:
        return HardGate(name="acceptance", state=CheckState.NOT_MEASURED, reason="the story names no command")
    bad = [each for each in commands if each.state is not CheckState.PASS]
    if bad:
        reason = "; ".join(
            f"`{' '.join(each.argv)}`: {each.reason or f'exit code {each.exit_code}'}" for each in bad
        )
        return HardGate(name="acceptance", state=bad[0].state, reason=reason, evidence=proof)
    return HardGate(name="acceptance", state=CheckState.PASS, evidence=proof)


def _proof(gates: list[HardGate]) -> HardGate:
    """Say whether a test or a command was measured; if none was, the proof of the kind of work decides."""
    if any(gate.state is not CheckState.NOT_MEASURED for gate in gates):
        return HardGate(name="proof", state=CheckState.PASS)
    reason = f"nothing can prove the work: {gates[0].reason or NO_TESTS}; {gates[1].reason}"
    return HardGate(name="proof", state=CheckState.NOT_MEASURED, reason=reason)


def _blocking(evaluations: tuple[Evaluation, ...]) -> tuple[Finding, ...]:
    found = {finding.fingerprint: finding for each in evaluations for finding in each.blocking}
    return tuple(found.values())


def _listed(findings: Iterable[Finding], most: int = 3) -> str:
    every = list(findings)
    shown = "; ".join(f"{finding.message} ({finding.file}:{finding.line})" for finding in every[:most])
    return f"{len(every)} blocking: {shown}{' ...' if len(every) > most else ''}"
