"""What a maker is told: never more than the bound, the worst first, each cause once."""

from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.model.evidence import Cause, Failure, Frame, Suspect
from setpoint.model.failure_clusters import by_importance, clustered
from setpoint.model.finding import Category, Finding, Fix, Nearness, Severity
from setpoint.phase.policy.maker_feedback import (
    MOST,
    MOST_OF_CAUSE,
    MOST_OF_FINDING,
    MOST_WHOLE,
    feedback,
    whole_text,
)

HUGE = {
    "ticks": "`" * 5000,
    "long": "x" * 1_000_000,
    "empty lines": "\n" * 3000,
    "assertion lines": "E  assert\n" * 9000,
    "invisible": "\u202e\x00\u200b",
    "accents": "e\u0301\u00e9" * 900,
}
NASTY = st.text(max_size=40) | st.sampled_from(sorted(HUGE))
PLACES = st.builds(Frame, file=NASTY, line=st.integers(-1, 10**6), function=NASTY)
FAILURES = st.builds(
    Failure,
    test=NASTY,
    cause=st.sampled_from(Cause),
    message=NASTY,
    file=NASTY,
    line=st.integers(0, 10**9),
    detail=NASTY,
    error=NASTY,
    frames=st.lists(PLACES, max_size=4).map(tuple),
    nearness=st.none() | st.sampled_from(Nearness),
    new=st.booleans(),
    code=NASTY,
)
FINDINGS = st.builds(
    Finding,
    source=NASTY,
    rule=NASTY,
    severity=st.sampled_from(Severity),
    category=st.sampled_from(Category),
    message=NASTY,
    file=NASTY,
    line=st.integers(0, 10**9),
    detail=NASTY,
    fix=st.none() | st.builds(Fix, description=NASTY, edits=st.just(()), safe=st.booleans()),
    nearness=st.none() | st.sampled_from(Nearness),
)
SUSPECTS = st.builds(
    Suspect, file=NASTY, line=st.integers(1, 10**9), rank=st.just(1), score=st.floats(0, 1), text=NASTY
)


def grown(value):
    """Put the huge texts where their names stand; examples stay short enough to be shown."""
    if isinstance(value, str):
        return HUGE.get(value, value)
    if isinstance(value, dict):
        return {key: grown(each) for key, each in value.items()}
    return [grown(each) for each in value] if isinstance(value, list | tuple) else value


def grown_all(values):
    return [type(value).model_validate(grown(value.model_dump())) for value in values]


def red(test: str, message: str = "boom", **more: object) -> Failure:
    return Failure(test=test, cause=more.pop("cause", Cause.RUNTIME), message=message, **more)


def found(message: str, severity: Severity = Severity.ERROR, **more: object) -> Finding:
    return Finding(source="ruff", severity=severity, category=Category.STYLE, message=message, **more)


@settings(max_examples=60, deadline=None)
@given(
    failures=st.lists(FAILURES, max_size=7),
    findings=st.lists(FINDINGS, max_size=12),
    suspects=st.lists(SUSPECTS, max_size=9),
    whole=NASTY,
)
def test_it_is_never_longer_than_the_bound(failures, findings, suspects, whole) -> None:
    text = feedback(grown_all(failures), grown_all(findings), grown_all(suspects), grown(whole))

    assert len(text) <= MOST
    assert text.count("```") % 2 == 0
    assert bool(text) == bool(failures or findings)


def test_ten_thousand_failures_with_huge_messages_fit() -> None:
    one = red("t.py::test_0", "m" * 1_000_000, detail="d" * 1_000_000, file="t.py")
    failures = [one.model_copy(update={"test": f"t.py::test_{n}"}) for n in range(10_000)]
    findings = [found("f" * 10_000, line=n) for n in range(1000)]

    text = feedback(failures, findings, (), "/place")

    assert len(text) <= MOST
    assert "## Failing tests: 10000, with 1 cause" in text
    assert "and 9999 more with the same cause" in text
    assert "1000, most urgent first" in text
    assert "more findings" in text
    assert text.endswith("All of it in full: /place")
    assert len(whole_text(failures, findings, ())) <= MOST_WHOLE


def test_each_cause_and_each_finding_has_its_own_bound() -> None:
    whole = Failure(
        test="t" * 9000, cause=Cause.ASSERTION, message="m" * 9000, file="f" * 900, line=3,
        detail="E  assert x\n" * 900, code="\n".join(["c" * 900] * 9),
        frames=(Frame(file="f" * 900, line=1, function="g" * 900),) * 3, nearness=Nearness.NONE, new=True,
    )  # fmt: skip

    (block,) = [part for part in feedback([whole], []).split("### ") if part.startswith("1. ")]
    assert 600 < len(block) <= MOST_OF_CAUSE
    listed = feedback([], [found("m" * 9000, file="f" * 900, line=1, detail="d" * 900)]).partition("\n")[2]
    assert 300 < len(listed.strip()) <= MOST_OF_FINDING


def test_failures_with_one_cause_are_told_once() -> None:
    at = {"file": "src/calc.py", "line": 2, "error": "KeyError", "nearness": Nearness.LINE}
    same = [red(f"t.py::test_{n}", f"KeyError: {n}", **at) for n in range(18)]
    other = red("t.py::test_x", "TypeError: no", error="TypeError", file="src/calc.py", line=9)

    text = feedback([other, *same], [])

    assert "### 1. `t.py::test_0`, and 17 more with the same cause" in text
    assert "at `src/calc.py:2`, on a line you changed" in text
    assert "### 2. `t.py::test_x`" in text
    assert text.count("###") == 2


def test_what_makes_a_cause() -> None:
    def causes(*failures: Failure) -> int:
        return len(clustered(failures))

    place = {"file": "t.py", "cause": Cause.ASSERTION, "error": "AssertionError"}
    assert causes(red("t.py::a[1]", line=3, **place), red("t.py::a[2]", "other", line=3, **place)) == 1
    assert causes(red("t.py::a", line=3, **place), red("t.py::b", line=9, **place)) == 2
    missing = {"cause": Cause.IMPORT, "line": 1}
    assert causes(*(red(name, "No module x", file=name, **missing) for name in ("a.py", "b.py"))) == 1
    attribute = {"error": "AttributeError", "message": "no attribute 'y'"}
    assert causes(*(red(f"{name}::t", file=name, line=1, **attribute) for name in ("a.py", "b.py"))) == 1
    fixture = {"file": "conftest.py", "line": 4, "error": "OSError"}
    assert causes(red("a.py::t", "at 0x1f", **fixture), red("b.py::t", "at 0x2e", **fixture)) == 1


def test_new_and_worst_come_first_and_the_environment_last() -> None:
    failures = [
        red("t.py::net", cause=Cause.ENVIRONMENT, new=True),
        red("t.py::old", cause=Cause.SYNTAX),
        red("t.py::far", file="a.py", line=1, nearness=Nearness.NONE, new=True),
        red("t.py::near", file="b.py", line=1, nearness=Nearness.LINE, new=True),
        red("t.py::hangs", cause=Cause.TIMEOUT, new=True),
    ]

    ordered = [cluster.first.test.partition("::")[2] for cluster in clustered(failures)]

    assert ordered == ["hangs", "near", "far", "net", "old"]


def test_findings_that_block_and_lie_on_changed_lines_come_first() -> None:
    findings = [
        found("warn near", Severity.WARNING, nearness=Nearness.LINE),
        found("bad far", Severity.CRITICAL, nearness=Nearness.NONE),
        found("bad near", nearness=Nearness.LINE),
    ]

    assert [each.message for each in by_importance(findings)] == ["bad near", "bad far", "warn near"]


def test_equally_bad_findings_are_told_by_what_they_are_about() -> None:
    findings = [
        found("a long line", file="a.py", line=1).model_copy(update={"category": Category.STYLE}),
        found("a wrong type", file="b.py", line=2).model_copy(update={"category": Category.TYPES}),
        found("a leak", file="z.py", line=99).model_copy(update={"category": Category.SECURITY}),
    ]

    assert [each.message for each in by_importance(findings)] == ["a leak", "a wrong type", "a long line"]


def test_findings_are_told_beside_many_failures() -> None:
    failures = [
        red(f"t.py::{n}", f"E{n}", error=f"E{n}", file="a.py", line=n, detail="E  x\n" * 99, code="c\n" * 60)
        for n in range(1, 9)
    ]
    text = feedback(failures, [found(f"wrong {n}") for n in range(200)], (), "/all")

    assert "wrong 0" in text
    assert len(text) <= MOST
    assert "Left out here: 3 more failing tests and" in text


def test_the_whole_text_holds_all() -> None:
    failures = [red(f"t.py::{n}", detail=f"trace {n}", line=n, file="t.py") for n in range(50)]
    text = whole_text(failures, [found(f"wrong {n}", detail=f"why {n}") for n in range(50)], [])

    assert all(f"trace {n}\n" in text and f"why {n}\n" in text for n in range(50))


def test_nothing_wrong_is_nothing_said() -> None:
    assert feedback([], []) == ""


def test_a_test_that_failed_only_because_a_part_of_it_did_has_the_cause_of_the_part() -> None:
    parent = Failure(test="p::TestA", cause=Cause.ASSERTION, message="no message")
    part = parent.model_copy(
        update={"test": "p::TestA/open", "message": "no", "file": "a_test.go", "line": 3}
    )
    own = parent.model_copy(update={"test": "p::TestB", "message": "one", "file": "a_test.go", "line": 9})
    other = own.model_copy(update={"test": "p::TestB/open", "message": "two", "line": 8})

    found = clustered([parent, part, own, other])

    assert [[each.test for each in cluster.failures] for cluster in found] == [
        ["p::TestA/open", "p::TestA"],
        ["p::TestB"],
        ["p::TestB/open"],
    ]
