"""What is shown of what was found: fitting, believed, within limits, and held back by a fair coin."""

from datetime import UTC, datetime

import pytest

from setpoint.learning.policy.at_hand import AtHand, at_hand
from setpoint.learning.policy.confidence import learning_state
from setpoint.learning.policy.recall import recollections
from setpoint.learning.policy.tokenizer import likeness, stem, terms
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.evidence import Cause, Failure, Frame
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import LearningId, TraceId
from setpoint.model.learning import (
    EvidenceKind,
    Hint,
    Hit,
    Learning,
    LearningEvidence,
    LearningKind,
    Trust,
)

NOW = datetime(2026, 5, 1, tzinfo=UTC)
RUN = TraceId("run-1")
ALL = MemoryTerms(hold_out=0.0, withhold=0.0)
ASKED = "KeyError in the totals of the cart"


def hit(name, score=5.0, matched=3, telling=9.0, told=(EvidenceKind.REPEATED,), **more):
    values = {
        "kind": LearningKind.SEMANTIC,
        "title": f"totals cart {name}",
        "source": "x",
        "scope": "here",
        **more,
    }
    known = Learning(id=LearningId(f"lrn-{name}"), made_at=NOW, **values)
    entries = [
        LearningEvidence(learning=known.id, source=str(place), kind=kind, weight=1.0, at=NOW)
        for place, kind in enumerate(told)
    ]
    return Hit(standing=learning_state(known, entries, NOW), score=score, matched=matched, telling=telling)


def names(hits, asked=ASKED, wanted=ALL, run=RUN):
    at = asked if isinstance(asked, AtHand) else at_hand(asked)
    return [item.learning.removeprefix("lrn-") for item in recollections(hits, at, run, "here", wanted)]


def test_the_most_relevant_and_believed_come_first_and_three_at_most():
    hits = [hit(name, score=9 - n) for n, name in enumerate(("apple", "birch", "cedar", "daisy"))]
    assert names(hits) == ["apple", "birch", "cedar"]
    doubted = hit("doubted", score=9.5, believed=0.1)
    assert names([doubted, hit("sure words", score=9.0)])[0] == "sure words"


def test_what_has_nothing_to_do_with_it_is_left_out():
    near, common = hit("near", score=9.0), hit("common", telling=1.0)
    one_word, elsewhere = hit("single", matched=1), hit("elsewhere", scope="there")
    assert names([near, common, one_word, elsewhere]) == ["near"]
    assert names([hit("anywhere", scope="")]) == ["anywhere"]


@pytest.mark.parametrize("told", [(EvidenceKind.RETIRED,), (EvidenceKind.STALE,), (EvidenceKind.SUPERSEDED,)])
def test_what_is_out_of_use_is_not_shown(told):
    assert names([hit("gone", told=told)]) == []


def test_at_most_one_candidate_is_shown():
    hits = [hit(f"cand{n}", told=(), title=f"totals cart other{n}", score=9 - n) for n in range(4)]
    assert names([*hits, hit("sure", score=4)]) == ["cand0", "sure"]


def test_the_same_said_twice_is_shown_once_and_length_is_bounded():
    twin = hit("b", title="totals cart a", score=4.9)
    assert names([hit("a"), twin]) == ["a"]
    long = [
        hit(f"long{n}", body=" ".join(f"word{n}x{place}" for place in range(110)), score=9 - n)
        for n in range(4)
    ]
    assert 1 <= len(names(long, wanted=MemoryTerms(hold_out=0, withhold=0, max_tokens=500))) < 4


def test_the_coin_is_fair_the_same_for_a_run_and_its_chance_is_recorded():
    wanted = MemoryTerms(hold_out=0.1, withhold=0.1)
    held = 0
    for number in range(2000):
        (item,) = recollections([hit("a")], at_hand(ASKED), TraceId(f"run-{number}"), "here", wanted)
        assert item.propensity == pytest.approx(0.81)
        held += not item.shown
    assert 0.16 < held / 2000 < 0.22
    first, again = (recollections([hit("a")], at_hand(ASKED), RUN, "here", wanted) for _ in range(2))
    assert first == again


def test_terms_take_identifiers_apart_and_forms_of_a_word_together():
    assert {"load", "config", "load_config"} <= set(terms("load_config"))
    assert {"http", "header"} <= set(terms("parseHTTPHeader"))
    assert stem("mocks") == stem("mock")
    assert stem("retries") == stem("retry")
    assert stem("splitting") == stem("split")
    assert "the" not in terms("the cart")
    assert likeness(["a"], ["a"]) == 1.0
    assert likeness([], []) == 1.0


def test_what_happened_once_is_history_and_not_shown():
    assert names([hit("run", kind=LearningKind.EPISODIC), hit("rule", score=2)]) == ["rule"]


PLACED = Hint(files=("app/shell.py",), symbols=("run_tool",), rules=("S602",))
TEST = Hint(files=("shop/cart.py",), symbols=("total",), rules=("tests/test_cart.py::test_vat", "KeyError"))
OWN = Hint(files=("shop/cart.py",), rules=("shop.errors.CartError",))


def red(test, error, file, *functions):
    frames = tuple(Frame(file=file, line=1, function=each) for each in functions)
    told = Failure(test=test, cause=Cause.RUNTIME, message="m", error=error, file=file, frames=frames)
    return at_hand("w", [told])


def refused(rule, file, symbol="f"):
    told = Finding(
        source="ruff",
        severity=Severity.ERROR,
        category=Category.SECURITY,
        rule=rule,
        message="shell=True",
        file=file,
        symbol=symbol,
    )
    return at_hand("w", (), [told])


@pytest.mark.parametrize(
    ("hint", "asked", "shown"),
    [
        (PLACED, refused("S602", "app/other.py"), True),
        (PLACED, refused("S603", "app/other.py"), False),
        (PLACED, refused("C901", "app/shell.py"), True),
        (PLACED, refused("C901", "app/shell.py", "run_tool"), True),
        (PLACED, refused("C901", "app/other.py", "run_tool"), False),
        (PLACED, "Change app/shell.py", True),
        (PLACED, "Give the shell a time-out", True),
        (PLACED, "let run_tool end after a minute", True),
        (PLACED, "Add a report of tools that run long", False),
        (PLACED, "totals of the cart S603", False),
        (PLACED, at_hand("Give the shell a time-out", planned=["web/shell_page.py"]), False),
        (TEST, red("tests/test_cart.py::test_vat", "AssertionError", ""), True),
        (TEST, red("tests/test_cart.py::test_more", "TypeError", "shop/cart.py"), True),
        (TEST, red("tests/test_box.py::test_key", "KeyError", "shop/box.py"), False),
        (TEST, red("tests/test_box.py::test_key", "KeyError", "shop/box.py", "total"), True),
        (TEST, red("tests/test_box.py::test_key", "", "shop/box.py", "total"), False),
        (TEST, "Totals of the cart", True),
        (TEST, "Sum up the total", False),
        (OWN, red("tests/test_box.py::test_key", "shop.errors.CartError", "shop/box.py"), True),
    ],
)
def test_a_learning_with_a_place_is_shown_where_the_step_is_there_and_not_for_its_words(hint, asked, shown):
    told = hit("a", hint=hint, title="report time-out tools end a minute", score=9.0, telling=0.0)
    assert bool(names([told], asked=asked)) is shown


def test_an_error_that_several_learnings_are_about_says_nothing_of_a_place():
    asked = red("tests/test_box.py::test_key", "shop.errors.CartError", "shop/box.py")
    other = OWN.model_copy(update={"files": ("shop/other.py",)})
    hits = [hit("a", hint=OWN, telling=0.0), hit("b", hint=other, title="else", telling=0.0)]
    assert names(hits, asked=asked) == []


@pytest.mark.parametrize(
    ("told", "file", "shown"),
    [
        ({"title": "Rows in `pipeline/` are deleted by day"}, "pipeline/new.py", True),
        ({"title": "Rows in `pipeline/` are deleted by day"}, "pipelines/new.py", False),
        ({"title": "Print is agreed", "context": "scripts/"}, "scripts/once.py", True),
        ({"title": "x", "tags": ("convention",), "hint": Hint(files=("api/a.py",))}, "api/b.py", True),
        ({"title": "x", "tags": ("convention",), "hint": Hint(files=("src/a.py",))}, "src/b.py", False),
        ({"title": "x", "hint": Hint(files=("api/a.py",))}, "api/b.py", False),
    ],
)
def test_a_convention_is_shown_in_its_folder(told, file, shown):
    learnt = hit("a", telling=0.0, **told)
    assert bool(names([learnt], asked=at_hand("w", planned=[file]))) is shown


def test_a_rule_that_is_tied_to_a_folder_holds_there():
    hint = Hint(rules=("T201",))
    hits = [
        hit("a", hint=hint, title="In `scripts/` print is agreed", trust=Trust.HUMAN, telling=0.0),
        hit("b", hint=hint, title="In `jobs/` T201 is meant seriously", trust=Trust.HUMAN, telling=0.0),
    ]
    assert names(hits, asked=refused("T201", "jobs/night.py")) == ["b"]
    assert names(hits, asked=refused("T201", "scripts/night.py")) == ["a"]


def test_what_is_much_further_off_than_the_best_is_left_out_unless_a_person_said_it():
    asked = red("tests/test_cart.py::test_vat", "KeyError", "shop/cart.py", "total")
    same_file = Hint(files=("shop/cart.py",))
    hits = [
        hit("a", hint=TEST),
        hit("b", hint=same_file, title="another thing"),
        hit("c", hint=same_file, title="something else", trust=Trust.HUMAN),
    ]
    assert names(hits, asked=asked) == ["c", "a"]


def test_one_learning_stands_for_a_rule():
    other = PLACED.model_copy(update={"files": ("app/other.py",)})
    hits = [hit("a", hint=PLACED, title="one of these"), hit("b", hint=other, title="another thing", score=4)]
    assert names(hits, asked="S602 in app/shell.py") == ["a"]


def test_what_is_shown_in_vain_again_and_again_is_silent_until_something_speaks_for_it():
    vain = (EvidenceKind.REPEATED, *[EvidenceKind.IDLE] * 4)
    assert names([hit("a", told=vain[:-1])]) == ["a"]
    assert names([hit("a", told=vain)]) == []
    assert names([hit("a", told=(*vain, EvidenceKind.HELPED))]) == ["a"]
    assert names([hit("a", told=vain, trust=Trust.HUMAN)]) == ["a"]
    assert names([hit("a", told=(EvidenceKind.APPROVED, *vain))]) == ["a"]
