"""What a question holds beside its sentence: asker, findings, what is missing, was tried, and costs."""

from history.report_runs import BLOCKER, decided, made, measured, order, recorded
from model.examples import GATE
from setpoint.history.questions import substance
from setpoint.history.replay import history
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import GateOpened, ReviewAnswered, ReviewCompleted, RunStarted
from setpoint.model.gate import Choice, GateKind, Option
from setpoint.model.run import Action
from setpoint.model.verdict import Judgement, ReviewerVersion, Verdict
from setpoint.testing.evaluator import Scene

TRIED = "iteration 1: changed src/cart.py (+2 \N{MINUS SIGN}1); sent back by review: 1 blocking finding"
REVIEWER = ReviewerVersion(agent="critic")
CHOICES = (Choice.CONTINUE, Choice.DISMISS, Choice.ACCEPT)


def asked(tmp_path, judgement=Judgement.REQUIRE_HUMAN, feedback="", **gate):
    """Return what a question holds after a review with one finding."""
    verdict = Verdict(reviewer="code:critic", judgement=judgement, findings=(BLOCKER,), feedback=feedback)
    opened = GATE.model_copy(
        update={
            "iteration": 1,
            "guard": "",
            "context": (TRIED, "best so far: iteration 1"),
            "options": tuple(Option(choice=each, text="") for each in CHOICES),
            **gate,
        }
    )
    events = recorded(
        RunStarted(order=order(tmp_path), workdir=str(tmp_path)),
        made(1),
        measured(1, Stage.EVALUATE, Scene()),
        ReviewAnswered(iteration=1, review="code", verdict=verdict, made_by=REVIEWER),
        ReviewCompleted(iteration=1, verdict=verdict),
        decided(1, Action.ESCALATE, passed=False),
        GateOpened(gate=opened),
    )
    told = history(events)
    return substance(told, told.waiting)


def test_a_reviewer_that_asks_for_a_person_is_named_with_its_words_and_findings(tmp_path):
    found = asked(tmp_path, feedback="half up or half even?")
    assert (found.asker, found.words) == ("reviewer critic", ("half up or half even?",))
    assert found.findings == (BLOCKER,)


def test_a_reviewer_without_a_word_still_shows_its_findings(tmp_path):
    found = asked(tmp_path)
    assert (found.asker, found.words, found.findings) == ("reviewer critic", (), (BLOCKER,))


def test_a_limit_asks_with_what_blocks(tmp_path):
    found = asked(tmp_path, Judgement.REQUEST_CHANGES, guard="max_iterations")
    assert (found.asker, found.words, found.findings) == ("limit max_iterations", (), (BLOCKER,))


def test_the_maker_asks_with_its_reasons(tmp_path):
    found = asked(tmp_path, kind=GateKind.REQUEST, context=("tests/test_a.py: it is wrong",))
    assert (found.asker, found.words) == ("scripted", ("tests/test_a.py: it is wrong",))
    assert found.findings == found.facts == ()


def test_missing_tried_and_costs_stand_apart(tmp_path):
    found = asked(tmp_path)
    assert found.missing == ("tests: 1 failing",)
    assert (found.tried, found.facts) == ((TRIED,), ("best so far: iteration 1",))
    assert found.costs[Choice.CONTINUE].startswith("up to 3 iterations, about $0.75 and about ")
    assert found.costs[Choice.DISMISS] == "no agent; Setpoint judges the change again"
    assert found.costs[Choice.ACCEPT] == "nothing more"


def test_an_older_question_without_a_round_is_read(tmp_path):
    started = RunStarted(order=order(tmp_path), workdir=str(tmp_path))
    told = history(recorded(started, GateOpened(gate=GATE)))
    found = substance(told, told.waiting)
    assert (found.asker, found.findings, found.missing) == ("limit max_iterations", (), ())
    assert found.facts == ("best so far: iteration 2",)
