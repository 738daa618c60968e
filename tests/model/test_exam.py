"""Who set the exam, in records of earlier versions and in settings."""

import pytest

from setpoint.model.ending import Ending, is_usable
from setpoint.model.events import BODY
from setpoint.model.exam import Exam, Examiner, Least, level
from setpoint.model.proof import Proof, ProofTerms, Vouched
from setpoint.model.run import RunOutcome

OUTCOME = {
    "trace_id": "run-1", "ending": "verified", "reason": "every gate passes", "iterations": 1, "bounces": 0,
    "best": "a" * 40, "best_iteration": 1, "duration_s": 1.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("trust", "examiner"),
    [
        ("person", Examiner.FAILING_TESTS),
        ("sealed", Examiner.HIDDEN_TESTS),
        ("reviewed", Examiner.REVIEWER),
        ("any", Examiner.MAKER),
    ],
)
def test_the_trust_of_earlier_versions_is_read_as_an_exam(trust, examiner):
    proof = Proof.model_validate({"work": "repair", "why": "", "obligations": [], "trust": trust})
    rests_on = "on the maker's own tests alone"
    outcome = RunOutcome.model_validate({**OUTCOME, "trust": trust, "rests_on": rests_on})

    assert [each.examiner for each in proof.exams] == [examiner]
    assert [each.examiner for each in outcome.by] == [examiner]
    assert outcome.verdict == f"IMPLEMENTATION_VERIFIED {rests_on}"
    assert outcome.enough


def test_records_without_trust_are_read():
    proof = Proof.model_validate(
        {"work": "docs", "why": "", "obligations": [], "trust": None, "required": False}
    )
    assert proof.exams == RunOutcome.model_validate({**OUTCOME, "trust": None}).by == ()


def test_sealed_tests_of_earlier_versions_are_read_as_hidden_ones():
    test = {"path": "tests/test_a.py", "source": "a" * 64, "behaviour": "a is b"}
    event = {"kind": "tests.sealed", "design": 1, "agent": "codex", "kept": [test]}

    assert BODY.validate_python(event).kept[0].behaviour == "a is b"
    assert Vouched.model_validate({"sealed": [test]}).hidden[0].path == "tests/test_a.py"


@pytest.mark.parametrize(
    ("given", "least", "said"),
    [
        ({}, Least.OTHERS, ()),
        ({"witness": "any"}, Least.SELF, ("proof.witness = 'any' is read as proof.least = 'self'",)),
        ({"witness": "person"}, Least.OTHERS, ("witness = 'person' is read as proof.least = 'others'",)),
        ({"required": False}, Least.OTHERS, ("proof.required = false is ignored",)),
        ({"witness": "sealed", "least": "hidden"}, Least.HIDDEN, ("as proof.least = 'hidden'",)),
    ],
)  # fmt: skip
def test_settings_of_earlier_versions_are_read_with_a_sentence(given, least, said):
    terms = ProofTerms.model_validate(given)
    assert terms.least is least
    assert len(terms.notices) == len(said)
    assert all(part in notice for part, notice in zip(said, terms.notices, strict=True))


def test_hidden_tests_that_the_maker_could_read_are_others():
    unread = Exam(examiner=Examiner.HIDDEN_TESTS, author="claude")
    read = unread.model_copy(update={"readable": "no sandbox works here"})
    assert [level((each,)) for each in (unread, read)] == [Least.HIDDEN, Least.OTHERS]
    assert level(()) is Least.SELF


@pytest.mark.parametrize("least", Least)
def test_a_stronger_exam_is_enough_and_a_weaker_one_is_not(least):
    order = list(Least)
    assert [least.admits(each) for each in order] == [at <= order.index(least) for at in range(3)]


@pytest.mark.parametrize(
    ("ending", "branch", "usable"),
    [
        (Ending.VERIFIED, "setpoint/a", True),
        (Ending.SELF_TESTED, "setpoint/a", True),
        (Ending.SELF_TESTED, "unverified/setpoint/a", False),
        (Ending.VERIFIED, "unverified/setpoint/a", False),
        (Ending.ACCEPTED, "setpoint/a", True),
        (Ending.UNPROVEN, "unverified/setpoint/a", False),
        (None, "", False),
    ],
)
def test_work_may_be_used_where_its_exam_is_enough(ending, branch, usable):
    assert is_usable(ending, branch) is usable
