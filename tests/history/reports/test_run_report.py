"""Reports are computed from events alone, tell nothing unmeasured, and no text can break them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.report_runs import (
    BLOCKER,
    decided,
    made,
    measured,
    order,
    outcome,
    recorded,
    review,
    verified_run,
)
from model.examples import ONE_MORE
from setpoint.errors import RecordedDataError
from setpoint.history.phrases import code, duration, one_line, prose
from setpoint.history.reports import run_report
from setpoint.history.reports.progress_file import progress
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import PhaseEntered, ProofMeasured, RunStarted
from setpoint.model.finding import Category, Finding, Note, Severity
from setpoint.model.halting_values import HaltingValues
from setpoint.model.proof import Obligation, ObligationState, Proof, WorkKind
from setpoint.model.run import Action, Shadow
from setpoint.testing.evaluator import Scene, failure

HOSTILE = (
    '<script>alert(1)</script> `](javascript:x) | ![](//evil) @all "><img src=x onerror=y> \x1b[31m\u202e'
)


class Page(HTMLParser):
    """Notes what a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)


def hostile_run(root):
    bad = Finding(
        source=HOSTILE,
        rule=HOSTILE,
        severity=Severity.ERROR,
        category=Category.STYLE,
        message=HOSTILE,
        file=HOSTILE,
    )
    scene = Scene(failing=(failure(HOSTILE, HOSTILE),), findings=(bad,), broken=("ruff",))
    return recorded(
        RunStarted(order=order(root, HOSTILE), workdir=str(root)),
        PhaseEntered(phase="implement", iteration=1),
        made(1, HOSTILE, (HOSTILE,)),
        measured(1, Stage.EVALUATE, scene),
        review(1, bad),
        decided(1, Action.ESCALATE, passed=False, reason=HOSTILE),
        outcome(Ending.STOPPED, HOSTILE, rounds=1),
    )


def test_the_scratchpad_has_a_section_per_iteration_with_results_and_status(tmp_path):
    text = run_report.scratchpad(verified_run(tmp_path))
    sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
    assert [section.splitlines()[0] for section in sections] == ["Iteration 1", "Iteration 2", "Iteration 3"]
    assert "- **Review Result**: FAIL\n  - src/cart.py:12 - the total is rounded twice" in sections[0]
    assert "- **Test Result**: NOT_REACHED\n" in sections[0]
    assert "- **Status**: continuing (sent back to `implement` by `review`)" in sections[0]
    assert "- **Test Result**: FAIL\n  - tests/test_cart.py::test_total" in sections[1]
    assert "- **Implementation**: nothing changed\n" in sections[2]
    assert "- **Status**: IMPLEMENTATION_VERIFIED\n" in sections[2]
    assert "all tests pass" not in text, "the agent's word has no place here"


def test_progress_has_the_shape_that_tools_watch(tmp_path):
    told = json.loads(progress(verified_run(tmp_path)).model_dump_json())
    loop = told["feedback_loop"]
    assert {name: loop[name] for name in loop if name != "iterations"} == {
        "enabled": True,
        "current_iteration": 3,
        "max_iterations": 7,
        "status": "IMPLEMENTATION_VERIFIED",
        "consecutive_review_failures": 0,
        "consecutive_test_failures": 0,
    }
    first, second, third = loop["iterations"]
    assert (first["review_result"], first["test_result"], first["status"]) == (
        "FAIL",
        "NOT_REACHED",
        "continuing",
    )
    assert first["review_issues"] == ["src/cart.py:12 - the total is rounded twice [review:code R1]"]
    assert (second["review_result"], second["test_result"]) == ("PASS", "FAIL")
    assert second["test_failures"][0].startswith("tests/test_cart.py::test_total - ")
    assert third["status"] == "IMPLEMENTATION_VERIFIED"


def test_progress_counts_failures_in_a_row_as_guards_do(tmp_path):
    start = RunStarted(order=order(tmp_path), workdir=str(tmp_path))
    red = Scene(failing=("t::a",))
    blocked = Scene(findings=(BLOCKER.model_copy(update={"source": "ruff"}),))
    laps = [
        (measured(1, Stage.EVALUATE, Scene()), review(1), measured(1, Stage.TEST, red)),
        (measured(2, Stage.EVALUATE, blocked),),
        (measured(3, Stage.EVALUATE, Scene()), review(3), measured(3, Stage.TEST, red)),
    ]
    bodies = [body for number, lap in enumerate(laps, start=1) for body in (made(number), *lap)]
    loop = progress(recorded(start, *bodies)).feedback_loop
    assert (loop.status, loop.consecutive_test_failures, loop.consecutive_review_failures) == (
        "in_progress",
        1,
        0,
    )
    assert [each.check_result for each in loop.iterations] == ["PASS", "FAIL", "PASS"]


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        (Ending.STOPPED, "escalated"),
        (Ending.ESCALATED, "escalated"),
        (Ending.BROKEN_AGENT, "broken_agent"),
        (Ending.CANCELLED, "cancelled"),
    ],
)
def test_progress_tells_every_ending(tmp_path, ending, status):
    start = RunStarted(order=order(tmp_path), workdir=str(tmp_path))
    told = progress(recorded(start, made(1), outcome(ending, "why")))
    assert (told.feedback_loop.status, told.feedback_loop.iterations[0].status, told.run.reason) == (
        status,
        status,
        "why",
    )


def test_the_page_shows_what_was_measured(tmp_path):
    page = run_report.html(verified_run(tmp_path))
    for shown in (
        "IMPLEMENTATION_VERIFIED",
        "setpoint/totals",
        "scripted ruff",
        "rules-v1",
        "the total is rounded twice",
    ):
        assert shown in page
    assert "$0.75" in page


def with_known_findings(body, new=0):
    """Give the evidence of ruff the counts of twelve findings of the base and of new ones."""
    counts = {"findings": 12 + new, "new": new}
    evidence = tuple(
        each.model_copy(update={"counts": counts, "exit_code": 1}) if each.check == "ruff" else each
        for each in body.evaluation.evidence
    )
    return body.model_copy(update={"evaluation": body.evaluation.model_copy(update={"evidence": evidence})})


def test_findings_of_the_base_are_told_as_known_and_not_as_a_failure(tmp_path):
    events = [
        RunStarted(order=order(tmp_path), workdir=str(tmp_path)),
        PhaseEntered(phase="test", iteration=1),
    ]
    events.append(with_known_findings(measured(1, Stage.TEST, Scene())))
    page, report = run_report.html(recorded(*events)), run_report.markdown(recorded(*events))
    row = page[page.index("<summary>ruff ") :].partition("</summary>")[0]
    assert "nothing new (12 known at the base)" in row
    assert "fail" not in row
    assert "| ruff | pass: nothing new (12 known at the base) |" in report


def test_notes_and_contradicted_tests_are_listed_for_readers_and_not_for_the_maker(tmp_path):
    notes = (Note(rule="suppression", message="a new comment: `# noqa`", file="a.py", line=3),)
    scene = Scene(contradicted=("tests/test_a.py::test_one",), notes=notes)
    opened = RunStarted(order=order(tmp_path), workdir=str(tmp_path))
    events = recorded(opened, PhaseEntered(phase="test", iteration=1), measured(1, Stage.TEST, scene))
    for shown in (run_report.html(events), run_report.markdown(events)):
        assert "tests/test_a.py::test_one" in shown
        assert "a.py:3" in shown
    assert "suppression" not in run_report.scratchpad(events)


def test_the_page_is_well_formed_and_needs_nothing_from_outside(tmp_path):
    for events in (verified_run(tmp_path), hostile_run(tmp_path), verified_run(tmp_path)[:1]):
        page = Page(run_report.html(events))
        assert page.unbalanced == []
        assert page.open == []
        tags = {tag for tag, _ in page.tags}
        assert not tags & {"script", "img", "link", "iframe", "object", "form", "base", "a"}
        attributes = {name for _, held in page.tags for name in held}
        assert not {name for name in attributes if name.startswith("on")} | attributes & {
            "src",
            "href",
            "style",
        }
        assert re.findall(r"url\(|@import|http:|https:", run_report.html(events)) == []


def test_hostile_text_stays_text_in_markdown(tmp_path):
    for text in (run_report.markdown(hostile_run(tmp_path)), run_report.scratchpad(hostile_run(tmp_path))):
        assert "<script" not in text
        assert "<img" not in text
        assert "@all" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert not re.search(r"(?<!\\)\]\(", text)


def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_head(tmp_path):
    for events in (verified_run(tmp_path), hostile_run(tmp_path)):
        cells = 0
        for line in run_report.markdown(events).splitlines():
            if not line.startswith("|"):
                cells = 0
                continue
            found = len(re.findall(r"(?<!\\)\|", line))
            assert cells in (0, found), line
            cells = found


def test_an_obligation_of_any_name_is_shown_with_its_state_and_what_it_rests_on(tmp_path):
    for name, rests_on in (("moon phase", "tests/test_moon.py::test_full"), (HOSTILE, HOSTILE)):
        one = Obligation(name=name, state=ObligationState.NOT_MET, reason="no moon", evidence=(rests_on,))
        proof = Proof(work=WorkKind.REFACTOR, why="the request says so", obligations=(one,))
        events = recorded(
            RunStarted(order=order(tmp_path), workdir=str(tmp_path)),
            PhaseEntered(phase="implement", iteration=1),
            made(1),
            ProofMeasured(iteration=1, proof=proof),
        )
        text, page = run_report.markdown(events), Page(run_report.html(events))
        rows = [line for line in text.splitlines() if "| not met |" in line]
        assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [4]
        assert (page.unbalanced, page.open) == ([], [])
        if name != HOSTILE:
            assert "moon phase" in rows[0]
            assert "test_full" in rows[0]
            assert "tests/test_moon.py::test_full" in run_report.html(events)


def test_what_was_not_measured_is_said_to_be_so(tmp_path):
    events = verified_run(tmp_path)
    assert "not measured" in run_report.html(events)
    bare = recorded(RunStarted(order=order(tmp_path), workdir=str(tmp_path)), made(1))
    assert progress(bare).feedback_loop.iterations[0].quality is None
    assert "tests NOT_REACHED" in run_report.markdown(bare)


def test_the_ends_of_raw_outputs_of_red_checks_are_shown_and_a_lost_one_is_told(tmp_path):
    events = hostile_run(tmp_path)
    evidence = events[3].body.evaluation.evidence
    kept = tuple(each.model_copy(update={"output": "f" * 64}) for each in evidence)
    body = events[3].body.model_copy(
        update={"evaluation": events[3].body.evaluation.model_copy(update={"evidence": kept})}
    )
    events = (*events[:3], events[3].model_copy(update={"body": body}), *events[4:])
    assert "<b>x</b>" not in (page := run_report.html(events, lambda _: b"<b>x</b>" + b"y" * 9000))
    assert "…yyyy" in page

    def gone(_):
        raise RecordedDataError("the artifact is gone")

    assert "(the artifact is gone)" in run_report.html(events, gone)


def test_write_all_writes_the_four_files_and_can_be_repeated(tmp_path):
    folder = tmp_path / "runs" / "one"
    for events in (verified_run(tmp_path)[:8], verified_run(tmp_path)):
        run_report.write_all(folder, events)
        assert sorted(path.name for path in folder.iterdir()) == [
            "progress.json",
            "report.html",
            "report.md",
            "scratchpad.md",
        ]
    assert json.loads((folder / "progress.json").read_text())["run"]["branch"] == "setpoint/totals"


def test_every_prefix_of_a_run_can_be_reported(tmp_path):
    events = verified_run(tmp_path)
    for end in range(1, len(events) + 1):
        assert run_report.html(events[:end])
        assert run_report.markdown(events[:end])
        assert run_report.scratchpad(events[:end])


@given(st.text())
def test_prose_is_one_line_without_live_markup(text):
    safe = prose(text)
    assert len(safe.splitlines()) <= 1
    assert "<" not in safe
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*|\[\]]", safe)


@given(st.text(min_size=1))
def test_a_code_span_cannot_be_left(text):
    span = code(text)
    fence = re.match(r"`*", span)[0]
    assert span.endswith(fence)
    inner = span[len(fence) : len(span) - len(fence)]
    assert max((len(run) for run in re.findall(r"`+", inner)), default=0) < max(len(fence), 1)


def test_a_long_text_is_cut_with_a_sign():
    assert one_line("a" * 20, 5) == "aaaa…"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.421, "0.42 s"), (12.4, "12 s"), (185, "3 min 05 s"), (7800, "2 h 10 min")]
)
def test_durations_are_said_as_people_say_them(seconds, text):
    assert duration(seconds) == text


def test_a_decision_shows_what_the_policy_that_watches_would_have_done(tmp_path):
    body = decided(1, Action.CONTINUE, passed=False)
    watched = body.decision.model_copy(
        update={
            "values": HaltingValues(
                continue_=4.17, restart=-0.5, escalate=0.0, p_verified=0.03, one_more=ONE_MORE
            ),
            "shadow": Shadow(policy="halter-v1", action=Action.CONTINUE),
        }
    )
    events = recorded(
        RunStarted(order=order(tmp_path), workdir="/w"),
        made(1),
        body.model_copy(update={"decision": watched}),
    )
    page = run_report.html(events)
    assert "would CONTINUE: worth continue $4.17, restart -$0.50, escalate $0.00; P(verified" in page
    assert "one more iteration: 63% to pass every gate" in page
    assert "halter" not in run_report.markdown(events), "a minute's reading leaves the policies out"
