"""Rounds that write tests: the strongest tests are the best state, and a round without a gain is the last."""

from phase.policy.rounds import a_past, a_round
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Evidence
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import EvidenceId
from setpoint.model.run import Action
from setpoint.phase.policy.best_state import best_first, worth_delivering
from setpoint.phase.policy.halting_policy import rules_v1
from setpoint.phase.policy.no_gain import no_gain
from setpoint.testing import Scene, evaluation

SHORT = Finding(
    source="cover", rule="goals", severity=Severity.ERROR, category=Category.DESIGN, message="too little"
)
TOUCHED = SHORT.model_copy(update={"rule": "only-tests", "severity": Severity.CRITICAL})


def measured(of, coverage, tests=1, mutation=None):
    counts = {"files": 1, "coverage_per_mille": coverage, "tests": tests}
    counts |= {} if mutation is None else {"mutation_per_mille": mutation}
    plain = of.evidence_of("parse").model_dump()
    cover = Evidence(**{**plain, "id": EvidenceId("ev-cover"), "check": "cover", "counts": counts})
    return of.model_copy(update={"evidence": (*of.evidence, cover)})


def written(number, coverage, tests, mutation=300, findings=(SHORT,), failing=()):
    made = a_round(number, Scene(findings=findings, failing=failing))
    return made.model_copy(update={"tests": measured(made.tests, coverage, tests, mutation)})


def past(*rounds, coverage=200):
    return a_past(*rounds, base=measured(evaluation(Stage.BASE, "base", "tree-0", Scene()), coverage))


def test_the_strongest_tests_are_the_best_state_and_of_equal_ones_the_fewer():
    all_rounds = (written(1, 400, 3), written(2, 400, 9), written(3, 300, 20))
    assert [each.number for each in best_first(past(*all_rounds))] == [1, 2, 3]
    assert best_first(past(*all_rounds, written(4, 400, 9, mutation=500)))[0].number == 4


def test_what_reaches_more_is_delivered_and_changed_code_never():
    base = past().base
    assert worth_delivering(written(1, 400, 3), base)
    assert not worth_delivering(written(1, 200, 1), base)
    assert not worth_delivering(written(1, 100, 9), base)
    assert not worth_delivering(written(1, 400, 3, findings=(SHORT, TOUCHED)), base)
    assert not worth_delivering(written(1, 400, 3, failing=("t::new",)), base)


def test_a_round_without_a_gain_is_the_last():
    decision, halt = rules_v1(past(written(1, 400, 3), written(2, 400, 9)))
    assert (decision.action, halt.guard) == (Action.ESCALATE, "no_gain")
    assert no_gain(past(written(1, 200, 1))) is not None

    assert no_gain(past(written(1, 400, 3), written(2, 410, 4))) is None
    assert no_gain(past(written(1, 400, 3), written(2, 400, 4, mutation=301))) is None
    assert no_gain(past(written(1, 400, 3), written(2, 400, 3, failing=("t::new",)))) is None
    assert no_gain(a_past(a_round(1), a_round(2))) is None  # a run that writes no tests
