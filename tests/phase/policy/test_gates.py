"""Each hard gate alone keeps a round from being verified, and says why."""

import pytest

from phase.policy.rounds import GREEN, a_round, confirmed, finding, with_gates
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Severity
from setpoint.model.verdict import Judgement
from setpoint.testing import Scene, evaluation

NAMES = (
    "change",
    "build",
    "integrity",
    "security",
    "types",
    "review",
    "checks",
    "tests",
    "acceptance",
    "proof",
)


def tool_finding(category, source="tool", severity=Severity.ERROR):
    return finding(category=category, severity=severity, file="src/work.py", line=3).model_copy(
        update={"source": source}
    )


def bad(*findings, **more):
    return a_round(1, Scene(findings=findings, **more))


def without(past, *checks):
    def cut(measured):
        kept = tuple(each for each in measured.evidence if each.check not in checks)
        return measured.model_copy(update={"evidence": kept})

    return with_gates(past.model_copy(update={"evaluation": cut(past.evaluation), "tests": cut(past.tests)}))


def said(judgement):
    return a_round(1, judgement=judgement)


ALONE = {
    "nothing changed": (a_round(1, diff=""), "change", CheckState.FAIL),
    "does not parse": (a_round(1, early=Scene(broken=("parse",))), "build", CheckState.ERROR),
    "tampering": (
        a_round(1, early=Scene(findings=(tool_finding(Category.INTEGRITY),))),
        "integrity",
        CheckState.FAIL,
    ),
    "tampering seen by the full suite": (bad(tool_finding(Category.INTEGRITY)), "integrity", CheckState.FAIL),
    "unsafe": (
        a_round(1, early=Scene(findings=(tool_finding(Category.SECURITY),))),
        "security",
        CheckState.FAIL,
    ),
    "bandit broke": (a_round(1, early=Scene(broken=("bandit",))), "security", CheckState.ERROR),
    "bandit broke later": (bad(broken=("bandit",)), "security", CheckState.ERROR),
    "ill typed": (
        a_round(1, early=Scene(findings=(tool_finding(Category.TYPES),))),
        "types",
        CheckState.FAIL,
    ),
    "review blocks": (a_round(1, review=(finding(),)), "review", CheckState.FAIL),
    "reviewer broke": (said(Judgement.FAILED), "review", CheckState.ERROR),
    "a person is wanted": (said(Judgement.REQUIRE_HUMAN), "review", CheckState.FAIL),
    "lint blocks": (bad(tool_finding(Category.STYLE, "ruff")), "checks", CheckState.FAIL),
    "coverage broke": (bad(broken=("coverage",)), "checks", CheckState.ERROR),
    "red test": (bad(failing=("t::a",)), "tests", CheckState.FAIL),
    "pytest broke": (bad(broken=("pytest",)), "tests", CheckState.ERROR),
    "command fails": (bad(acceptance=(True, False)), "acceptance", CheckState.FAIL),
}


@pytest.mark.parametrize("case", ALONE)
def test_each_gate_alone_keeps_a_round_from_being_verified(case):
    past, name, state = ALONE[case]

    stopping = [(gate.name, gate.state) for gate in past.gates if not gate.passed]

    assert stopping == [(name, state)]
    assert next(gate.reason for gate in past.gates if gate.name == name)
    assert not past.verified


def test_a_clean_round_is_verified_by_every_gate():
    past = a_round(1, Scene(acceptance=(True,)))
    assert tuple(gate.name for gate in past.gates) == NAMES
    assert {gate.state for gate in past.gates} == {CheckState.PASS}
    assert past.verified


def test_what_was_not_reached_is_no_pass():
    past = a_round(1, reached=False)
    unreached = {gate.name for gate in past.gates if gate.reason == "not reached: something before it blocks"}
    assert unreached == {"review", "tests", "acceptance", "proof"}
    assert not past.verified


def test_a_round_that_no_gate_judged_is_not_verified():
    assert not a_round(1).model_copy(update={"gates": ()}).verified


def test_what_a_project_does_not_have_is_not_measured_and_holds():
    past = without(a_round(1, Scene(acceptance=(True,))), "parse", "bandit", "mypy", "pytest")
    unmeasured = [gate.name for gate in past.gates if gate.state is CheckState.NOT_MEASURED]
    assert unmeasured == ["build", "security", "types", "tests"]
    assert past.verified


def test_flaky_tests_hold():
    assert a_round(1, Scene(flaky=("t::shaky",))).verified


def test_a_flaky_build_holds():
    past = a_round(1)
    parse = past.evaluation.evidence_of("parse").model_copy(update={"state": CheckState.FLAKY})
    measured = past.evaluation.model_copy(update={"evidence": (parse,)})
    assert with_gates(past.model_copy(update={"evaluation": measured})).verified


def test_minor_findings_hold():
    minor = tool_finding(Category.STYLE, "ruff", Severity.WARNING)
    assert a_round(1, Scene(findings=(minor,)), review=(minor,)).verified


def test_a_confirmation_that_fails_takes_the_pass_back():
    past = a_round(1)
    assert past.verified
    assert confirmed(past, GREEN).verified
    assert not confirmed(past, Scene(failing=("t::a",))).verified


def test_reasons_name_the_first_few_and_the_number():
    names = tuple(f"t::red_{number}" for number in range(5))
    tests = next(gate for gate in bad(failing=names).gates if gate.name == "tests")
    many = tuple(finding(f"problem {word}", file="a.py", line=7) for word in "abcde")
    review = next(gate for gate in a_round(1, review=many).gates if gate.name == "review")
    assert tests.reason == "5 failing: t::red_0, t::red_1, t::red_2, ..."
    assert review.reason.startswith("5 blocking: problem a (a.py:7); problem b (a.py:7); ")
    assert review.reason.endswith(" ...")


def test_a_failed_command_is_named():
    reason = next(gate.reason for gate in bad(acceptance=(False,)).gates if gate.name == "acceptance")
    assert reason == "`scripted acceptance:1`: exit code 1"


def test_a_finding_seen_at_both_stages_is_told_once():
    both = tool_finding(Category.SECURITY)
    past = a_round(1, Scene(findings=(both,)), early=Scene(findings=(both,)))
    assert next(gate.reason for gate in past.gates if gate.name == "security").startswith("1 blocking")


def test_gates_rest_on_evidence():
    past = a_round(1)
    tests = next(gate for gate in past.gates if gate.name == "tests")
    assert tests.evidence == (evaluation(Stage.TEST, "commit-1", "tree-1").evidence_of("pytest").id,)


def test_tests_that_fail_before_the_full_suite_are_named_by_the_gate():
    early = a_round(1, Scene(failing=("t::a",)), reached=False)
    gates = {gate.name: gate for gate in early.gates}
    assert (gates["tests"].state, gates["tests"].reason) == (CheckState.FAIL, "1 failing: t::a")
    assert gates["proof"].reason.startswith("not reached")
