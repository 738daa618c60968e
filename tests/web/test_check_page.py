"""The raw output of checks: by page, as text, and for programs; also where there is none."""

import json

import pytest

from history.report_runs import decided, made, measured, order
from setpoint.app.views.check_outputs import check_detail, grid
from setpoint.errors import UsageError
from setpoint.history.iterations import laps
from setpoint.model.evaluation import Stage
from setpoint.model.events.run import HaltingDecided, IterationEvaluated, RunStarted
from setpoint.model.evidence import CheckState
from setpoint.model.ids import Artifact, TraceId
from setpoint.model.run import Action
from setpoint.model.verdict import HardGate
from setpoint.testing.evaluator import Scene
from setpoint.web.check_page import MOST_CHARS
from web.conftest import HOSTILE, VERIFIED

TRACE = TraceId("run-6output")
LONG = "first line\n" + "x" * MOST_CHARS + "\n<script>alert(1)</script>\x1b[31m the last line"
NOT_REACHED = "not reached: something before it blocks"


@pytest.fixture(scope="module")
def run(project):
    """A run whose suite printed much; the output of its linter is gone."""
    body = measured(1, Stage.TEST, Scene(failing=("t::a",))).evaluation
    suite, *rest = sorted(body.evidence, key=lambda each: each.check != "pytest")
    suite = suite.model_copy(
        update={"output": project.artifacts.keep(LONG), "argv": ("pytest", "-q"), "exit_code": 1}
    )
    gone = rest[0].model_copy(update={"output": Artifact("0" * 64), "argv": ("tool",)})
    body = body.model_copy(update={"evidence": (suite, gone, *rest[1:])})
    last = decided(1, Action.CONTINUE, passed=False)
    gates = (
        HardGate(name="tests", state=CheckState.FAIL, reason="1 failing", evidence=(suite.id,)),
        HardGate(name="proof", state=CheckState.ERROR, reason=NOT_REACHED),
    )
    started = order(project.root).model_copy(update={"trace_id": TRACE})
    project.log.append(
        TRACE,
        "all",
        [
            RunStarted(order=started, workdir=str(project.root)),
            made(1),
            IterationEvaluated(iteration=1, evaluation=body),
            HaltingDecided(iteration=1, decision=last.decision, gates=gates),
        ],
    )
    return suite, gone


def test_a_gate_opens_command_exit_code_tree_and_output(browser, run):
    suite, _ = run
    text = browser.get(f"/runs/{TRACE}/checks/1/tests").text
    for shown in ("pytest -q", "1 failing", suite.tree[:12], "the last line"):
        assert shown in text
    assert "first line" not in text, "the page shows the end of a long output"
    assert "&lt;script&gt;alert(1)" in text
    assert "\x1b" not in text
    whole = browser.get(f"/runs/{TRACE}/checks/1/tests?whole={suite.id}")
    assert (whole.headers["content-type"], whole.text) == ("text/plain; charset=utf-8", LONG)


def test_programs_get_the_whole_output(program, run):
    suite, _ = run
    (found,) = program.get(f"/api/v1/runs/{TRACE}/checks/1/pytest/output").json()["outputs"]
    assert found["output"] == LONG
    assert json.loads(suite.model_dump_json()) == found["evidence"]
    assert program.get(f"/api/v1/runs/{TRACE}/checks/7/pytest/output").status_code == 409


def test_a_suite_that_ran_twice_shows_the_run_with_the_failing_test_first(project):
    body = measured(1, Stage.EVALUATE, Scene(failing=("tests/test_half.py::test_half",))).evaluation
    suite = body.evidence_of("pytest").model_copy(update={"argv": ("pytest",), "exit_code": 1})

    def part(name, output, **more):
        kept = project.artifacts.keep(output)
        return suite.model_copy(update={"check": f"pytest{name}", "output": kept, **more})

    ran = part("-base", "1 failed: test_old"), part("-now", "1 failed: test_half", id="ev-now")
    gate = HardGate(name="tests", state=CheckState.FAIL, reason="1 failing", evidence=(suite.id,))
    body = body.model_copy(update={"evidence": (*ran, part("", "1 failed: test_old"))})
    trace = TraceId("run-7twice")
    started = order(project.root).model_copy(update={"trace_id": trace})
    decision = decided(1, Action.CONTINUE, passed=False).decision
    project.log.append(
        trace,
        "all",
        [
            RunStarted(order=started, workdir=str(project.root)),
            made(1),
            IterationEvaluated(iteration=1, evaluation=body),
            HaltingDecided(iteration=1, decision=decision, gates=(gate,)),
        ],
    )
    for name in ("pytest", "tests"):
        detail = check_detail(project, trace, name)
        assert [each.evidence.check for each in detail.outputs] == ["pytest-now", "pytest-base"]
        assert detail.iteration == 1
    assert [each.output for each in check_detail(project, trace, "pytest-base").outputs] == [
        "1 failed: test_old"
    ]
    rows = [row.name for row in grid(None, laps(project.log.replay(trace)))]
    assert "pytest" in rows
    assert not {"pytest-now", "pytest-base"} & set(rows)


def test_output_that_is_gone_or_was_never_kept_has_a_reason(browser, run, project):
    _, gone = run
    assert "the artifact is gone" in browser.get(f"/runs/{TRACE}/checks/1/{gone.check}").text
    older = check_detail(project, VERIFIED, "pytest")
    assert (older.iteration, {each.output for each in older.outputs}) == (3, {""})
    assert {each.lacking for each in older.outputs} <= {"no output was kept", "no command was run"}


def test_a_check_that_is_not_there_names_those_that_are(project, run):
    with pytest.raises(UsageError, match=r"has no check 'flake8'; it has .*pytest"):
        check_detail(project, TRACE, "flake8")


def test_the_grid_shows_what_was_not_reached_in_grey(project, browser, run):
    rows = {row.name: row for row in grid(None, laps(project.log.replay(TRACE)))}
    base, cell = rows["proof"].cells
    assert (base, cell.word, cell.tone) == (None, "not reached", "soft")
    assert (rows["tests"].gate, rows["tests"].cells[1].tone) == (True, "bad")
    assert (rows["pytest"].gate, rows["pytest"].cells[1].tone) == (False, "bad")
    page = browser.get(f"/runs/{TRACE}").text
    assert f'class="bad" href="/runs/{TRACE}/checks/1/tests"' in page
    assert f'class="soft" href="/runs/{TRACE}/checks/1/proof"' in page


def test_every_cell_of_a_hostile_run_leads_to_a_page(browser):
    page = browser.get(f"/runs/{HOSTILE}").text
    links = {
        part.partition('"')[0] for part in page.split('href="')[1:] if "/checks/" in part.partition('"')[0]
    }
    assert links
    for link in links:
        assert browser.get(link).status_code == 200, link


def test_a_gate_without_a_command_says_by_what_it_was_decided(browser, run):
    shown = browser.get(f"/runs/{TRACE}/checks/1/proof").text
    assert "It passes when a test or a command can prove the work." in shown
    assert "Decided by the gates tests and acceptance." in shown
