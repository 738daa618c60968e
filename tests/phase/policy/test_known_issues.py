"""What is written down about work that a person accepts with its faults."""

from datetime import UTC, datetime

from model.examples import ORDER
from phase.policy.rounds import BASE, a_round, finding
from setpoint.model.finding import Severity
from setpoint.model.gate import Answer, Choice, Via
from setpoint.phase.policy.known_issues import MOST_ISSUES, entry, known_issues
from setpoint.testing import Scene, failure

AT = datetime(2026, 2, 1, 12, tzinfo=UTC)


def accepting(**more):
    return Answer(**{"choice": Choice.ACCEPT, "by": "Ann", "via": Via.CLI, **more})


def test_every_fault_is_named_with_its_place_and_evidence():
    red = Scene(failing=("t::a", "t::new"), broken=("mypy",))
    worst = finding("money is lost", severity=Severity.CRITICAL, file="src/cart.py", line=7)
    accepted = a_round(2, red, review=(finding("minor", severity=Severity.WARNING), worst))
    proof = {each.check: each.id for each in accepted.latest.evidence}

    issues = known_issues(accepted, BASE)

    assert f"`src/work.py:1` t::a fails: assert 1 == 2 [evidence {proof['pytest']}]" in issues
    assert (
        f"`src/work.py:1` t::new fails, which passed before: assert 1 == 2 [evidence {proof['pytest']}]"
        in issues
    )
    assert "`src/cart.py:7` critical: money is lost (review:code)" in issues
    assert f"mypy broke: scripted to break [evidence {proof['mypy']}]" in issues
    assert any(issue.startswith("gate `tests` does not pass") for issue in issues)
    assert not any("minor" in issue for issue in issues)


def test_what_was_not_reached_is_an_issue_too():
    accepted = a_round(1, Scene(failing=("t::a",)), reached=False)
    assert "the run did not reach the full test suite" in known_issues(accepted, BASE)


def test_a_flood_of_faults_is_cut_and_counted():
    many = Scene(failing=tuple(failure(f"t::{number}") for number in range(MOST_ISSUES + 50)))
    issues = known_issues(a_round(1, many), BASE)
    assert len(issues) == MOST_ISSUES + 1
    assert issues[-1].endswith("more are in the run's report")


def test_an_entry_is_dated_and_says_who_and_why():
    accepted = a_round(3)
    text = entry(ORDER, accepted, ("one", "two"), accepting(reason="for the demo"), AT)
    assert text.startswith("\n## 2026-02-01: Totals must be right\n")
    assert "Accepted by Ann without being verified" in text
    assert f"run `{ORDER.trace_id}`, iteration 3" in text
    assert "Reason: for the demo." in text
    assert text.endswith("- [ ] one\n- [ ] two\n")


def test_an_entry_without_known_faults_says_so():
    assert entry(ORDER, a_round(1), (), accepting(), AT).endswith("- nothing is known to be wrong\n")


def test_text_from_outside_cannot_begin_a_heading():
    red = Scene(failing=(failure("t::a", "no\n\n# Done\n- [x] all is well"),))
    text = entry(ORDER, a_round(1, red), known_issues(a_round(1, red), BASE), accepting(), AT)
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "## 2026-02-01: Totals must be right"
    ]
    assert "- [x]" not in [line[:5] for line in text.splitlines()]
