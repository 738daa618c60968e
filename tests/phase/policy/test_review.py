"""Reviews end: late, withdrawn and settled objections do not send work back again."""

import pytest

from model.examples import an_attempt
from phase.policy.rounds import a_round
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.proof import HiddenTest, Reproduced
from setpoint.model.verdict import Judgement, Settled, Verdict
from setpoint.phase.policy.review import NOTHING_REVIEWED, declined, docket, reproduced, standing_in, weighed


def objection(word, severity=Severity.ERROR, **more):
    values = {
        "source": "review:code",
        "category": Category.CORRECTNESS,
        "reproducible": False,
        "file": "a.py",
    }
    return Finding(severity=severity, message=f"the {word} is wrong", **{**values, "line": 3, **more})


def verdict(*findings, settled=()):
    blocking = any(finding.blocking for finding in findings)
    judgement = Judgement.REQUEST_CHANGES if blocking else Judgement.APPROVE
    return Verdict(reviewer="code:someone", judgement=judgement, findings=findings, settled=settled)


def reviewed(number, said, text=""):
    past = a_round(number)
    attempt = an_attempt(text=text)
    return past.model_copy(
        update={"verdict": said, "snapshot": past.snapshot.model_copy(update={"attempt": attempt})}
    )


def frozen(*known):
    rounds = tuple(reviewed(number, verdict(*known)) for number in (1, 2))
    return docket(rounds)


def test_first_objections_count_whatever_they_are():
    said = verdict(objection("name"))
    assert weighed(said, NOTHING_REVIEWED) == said
    assert weighed(said, docket((reviewed(1, verdict()),))) == said


@pytest.mark.parametrize("severity", [Severity.ERROR, Severity.CRITICAL])
def test_an_error_counts_however_late(severity):
    said = verdict(objection("name", severity))
    assert weighed(said, frozen()) == said


def test_an_objection_that_was_there_before_stays_however_late():
    known = objection("name")
    assert weighed(verdict(known), frozen(known)).blocking == (known,)


def test_the_docket_holds_what_is_open_and_what_was_ever_said():
    first, second = objection("name"), objection("type")
    told = docket((reviewed(1, verdict(first)), reviewed(2, verdict(second))))
    assert (told.reviews, told.open) == (2, (second,))
    assert told.known == {first.fingerprint, second.fingerprint}


def test_a_broken_review_is_none():
    broken = Verdict(reviewer="code:someone", judgement=Judgement.FAILED)
    assert docket((reviewed(1, broken),)).reviews == 0


def test_a_decline_is_a_line_of_its_own():
    key, other = "0123456789abcdef", "f" * 16
    text = (
        f"Done.\n- `DECLINE {key}: it is meant so`\nI will not DECLINE {other}: no\nDECLINE {other[:5]}: no"
    )
    assert declined(f"DECLINE {key}: it is meant so") == {key: "it is meant so"}
    assert list(declined(text)) == [key]


def test_a_withdrawn_objection_does_not_come_back():
    known = objection("name")
    settled = Settled(fingerprint=known.fingerprint, withdrawn=True)
    now = weighed(verdict(known, settled=(settled,)), docket((reviewed(1, verdict(known)),)))
    assert (now.judgement, now.blocking) == (Judgement.APPROVE, ())

    later = docket((reviewed(1, verdict(known)), reviewed(2, verdict(settled=(settled,)))))
    assert weighed(verdict(known), later).blocking == ()


def test_what_is_reported_again_and_nothing_reproduces_stands():
    known, new = objection("name"), objection("type")
    before = docket((reviewed(1, verdict(known)),))
    decline = f"DECLINE {known.fingerprint}: it is meant so"

    now = weighed(verdict(known, new), before)

    assert (now.judgement, now.standing) == (Judgement.REQUEST_CHANGES, (known.fingerprint,))
    said = standing_in(reviewed(2, now, decline))
    assert said == "the name is wrong (a.py); the maker declines it: it is meant so"
    shown = verdict(known).model_copy(update={"reproductions": {known.fingerprint: SHOWN}})
    assert weighed(shown, before).standing == ()


def test_what_a_person_dismisses_does_not_come_back():
    known = objection("name")
    before = docket((reviewed(1, verdict(known)),), {known.fingerprint: "Ann: it is meant so"})
    now = weighed(verdict(known), before)
    assert (now.judgement, now.blocking, now.standing) == (Judgement.APPROVE, (), ())
    assert (before.open, before.dismissed) == ((), ("the name is wrong (Ann: it is meant so)",))


def test_a_person_alone_answers_a_reviewer_that_asks_for_one():
    known = objection("name")
    asks = verdict(known).model_copy(update={"judgement": Judgement.REQUIRE_HUMAN})
    settled = Settled(fingerprint=known.fingerprint, withdrawn=True)
    withdrawn = docket((reviewed(1, verdict(known, settled=(settled,))),))
    assert asks.for_a_person == (known.fingerprint,)
    assert weighed(asks, withdrawn).judgement is Judgement.REQUIRE_HUMAN
    assert weighed(asks, docket((), {known.fingerprint: "Ann: no"})).judgement is Judgement.APPROVE
    silent = asks.model_copy(update={"findings": ()})
    assert weighed(silent, docket((), {known.fingerprint: "Ann: no"})).judgement is Judgement.REQUIRE_HUMAN


SHOWN = HiddenTest(path="tests/test_x.py", behaviour="the name is wrong", author="critic")


@pytest.mark.parametrize(
    ("severity", "binds", "passes", "judgement", "becomes", "says"),
    [
        (
            Severity.INFO,
            True,
            False,
            Judgement.REQUEST_CHANGES,
            Severity.ERROR,
            "reproduced by Setpoint: why",
        ),
        (Severity.CRITICAL, True, False, Judgement.REQUEST_CHANGES, Severity.CRITICAL, "reproduced"),
        (Severity.ERROR, False, True, Judgement.APPROVE, Severity.WARNING, "did not reproduce: why"),
        (Severity.ERROR, False, False, Judgement.REQUEST_CHANGES, Severity.ERROR, "does not count: why"),
        (Severity.INFO, False, True, Judgement.APPROVE, Severity.INFO, "does not count: why"),
    ],
)
def test_what_came_of_a_reproduction_decides_what_an_objection_weighs(
    severity, binds, passes, judgement, becomes, says
):
    known = objection("name", severity)
    said = verdict(known).model_copy(update={"reproductions": {known.fingerprint: SHOWN}})
    came = {known.fingerprint: Reproduced(test=SHOWN, binds=binds, passes=passes, told="why")}

    now = weighed(reproduced(said, came), NOTHING_REVIEWED)

    assert (now.judgement, now.findings[0].severity) == (judgement, becomes)
    assert says in now.findings[0].detail
    assert bool(now.reproductions) is binds
