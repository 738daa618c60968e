"""Reviews end: late, withdrawn and settled objections do not send work back again."""

import pytest

from model.examples import an_attempt
from phase.policy.rounds import a_round
from setpoint.model.config.limits import Limits
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.verdict import Judgement, Settled, Verdict
from setpoint.phase.policy.review import NOTHING_REVIEWED, UNNAMED, declined, docket, weighed

LIMITS = Limits(freeze_reviews_after=2)


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


def weigh(said, before, declined_now=()):
    return weighed(said, before, LIMITS, declined_now)


def test_first_objections_count_whatever_they_are():
    said = verdict(objection("name"))
    assert weigh(said, NOTHING_REVIEWED) == said
    assert weigh(said, docket((reviewed(1, verdict()),))) == said


@pytest.mark.parametrize("severity", [Severity.ERROR, Severity.CRITICAL])
def test_an_error_counts_however_late(severity):
    said = verdict(objection("name", severity))
    assert weigh(said, frozen()) == said


def test_a_late_request_that_names_no_error_goes_to_a_person():
    said = verdict(objection("name", rule=UNNAMED))
    assert weigh(said, NOTHING_REVIEWED) == said
    now = weigh(said, frozen())
    assert now.judgement is Judgement.REQUIRE_HUMAN
    assert "names no error" in now.feedback
    assert weighed(said, frozen(), Limits(freeze_reviews_after=None), ()) == said


def test_an_objection_that_was_there_before_stays_however_late():
    known = objection("name")
    assert weigh(verdict(known), frozen(known)).blocking == (known,)


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
    now = weigh(
        verdict(known, settled=(settled,)), docket((reviewed(1, verdict(known)),)), {known.fingerprint}
    )
    assert (now.judgement, now.blocking) == (Judgement.APPROVE, ())

    later = docket((reviewed(1, verdict(known)), reviewed(2, verdict(settled=(settled,)))))
    assert weigh(verdict(known), later).blocking == ()


def test_what_is_declined_twice_and_upheld_goes_to_a_person():
    known = objection("name")
    decline = f"DECLINE {known.fingerprint}: it is meant so"
    rounds = (reviewed(1, verdict(known)), reviewed(2, verdict(known), decline))
    assert (
        weigh(verdict(known), docket(rounds[:1]), {known.fingerprint}).judgement is Judgement.REQUEST_CHANGES
    )

    now = weigh(verdict(known), docket(rounds), {known.fingerprint})
    assert now.judgement is Judgement.REQUIRE_HUMAN
    assert known.fingerprint in now.feedback
    assert weigh(verdict(known), docket(rounds)).judgement is Judgement.REQUEST_CHANGES
