"""Questions answered and runs gone on with, by real clicks: every kind of answer, and what follows."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from acceptance.conftest import ASKING, BUG, QUICK, RIGHT, new_repository
from model.examples import GATE, ORDER
from setpoint.model.events.run import GateAnswered, GateOpened, RunStarted
from setpoint.model.gate import GateKind, Grant, Option, Via
from setpoint.model.ids import GateId, TraceId
from setpoint.wiring.project import open_project
from web.browsing import SLOW_MS, assert_usable, in_a_browser, open_form, opened_answer, tab_to

pytestmark = in_a_browser
ESCALATION = {"continue": "go on", "accept": "take it as it is", "cancel": "end it"}
WRONG = "a * b"
REQUEST = {"approve": "it may", "reject": "it may not"}
WAITS = "while [ ! -e {flag} ]; do sleep 0.2; done; printf '{right}' > calc.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A repository with a maker that is wrong at first, and one that waits for a file before it works."""
    repository = new_repository(tmp_path_factory.mktemp("questions") / "shop")
    repository.signed("Ada")
    wrong = [{"write": "calc.py", "text": BUG.replace("a - b", WRONG)}]
    settings = '[agents]\nmaker = "actor"\n[limits]\nmax_iterations = 1\n'
    repository.agent(wrong, [{"write": "calc.py", "text": RIGHT}], settings=settings, counter="turn")
    repository.shell_agent("waits", WAITS.format(flag=repository.root.parent / "go", right=RIGHT))
    made = open_project(repository.root)
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def asking():
    """What the processes of the dashboard are started with, on top."""
    return ASKING


def ask(project, name, kind, choices):
    """Record a run that waits for a person."""
    trace, now = TraceId(f"run-{name}"), datetime.now(UTC)
    order = ORDER.model_copy(update={"trace_id": trace, "root": str(project.root), "started_at": now})
    options = tuple(Option(choice=choice, text=text) for choice, text in choices.items())
    change = {
        "id": GateId(f"{kind}-1"),
        "kind": kind,
        "options": options,
        "deadline": None,
        "default": None,
        "asked_at": now,
        "offer": Grant(iterations=3, cost_usd="2.5", wall_s=90),
        "question": f"{name} <b>asks</b>",
    }
    project.log.append(trace, "start", [RunStarted(order=order, workdir=str(project.root))])
    project.log.append(trace, "gate", [GateOpened(gate=GATE.model_copy(update=change))])
    return trace


def answer_of(project, trace):
    (given,) = [each.body.answer for each in project.log.replay(trace) if isinstance(each.body, GateAnswered)]
    assert (given.via, given.by) == (Via.WEB, "Ada")
    return given


def form_of(page, name):
    page.goto("/gates")
    return page.locator("section.question", has_text=f"{name} <b>asks</b>")


def answered(section, choice, **fields):
    answer = opened_answer(section, choice)
    for label, text in fields.items():
        answer.get_by_label(label.replace("_", " ")).fill(text)
    answer.get_by_role("checkbox", name="Continue the run at once").uncheck()
    answer.get_by_role("button", name=f"Answer: {choice}").click()
    expect(section).to_have_count(0)


def test_every_answer_to_an_escalation(page, project):
    for choice in ESCALATION:
        ask(project, f"esc{choice}", GateKind.ESCALATION, ESCALATION)
    section = form_of(page, "esccontinue")
    opened_answer(section, "continue").get_by_role("checkbox", name="With a new approach").check()
    opened_answer(section, "cancel")
    expect(section.get_by_label("More iterations")).to_be_hidden()
    figures = {"More_iterations": "2", "More_US_dollars": "1.25", "More_minutes_of_work": ""}
    answered(section, "continue", **figures, An_instruction="smaller steps")
    given = answer_of(project, "run-esccontinue")
    assert (given.grant.iterations, str(given.grant.cost_usd), given.grant.wall_s) == (2, "1.25", 90)
    assert (given.new_approach, given.instruction) == (True, "smaller steps")
    for choice in ("accept", "cancel"):
        answered(form_of(page, f"esc{choice}"), choice, **{"Reason,_for_the_record": f"because of {choice}"})
        given = answer_of(project, f"run-esc{choice}")
        assert (given.choice, given.reason) == (choice, f"because of {choice}")


def test_an_objection_is_answered_that_it_is_wrong_in_one_field(page, project):
    ask(project, "objects", GateKind.ESCALATION, {"dismiss": "it is wrong", **ESCALATION})
    section = form_of(page, "objects")
    answer = opened_answer(section, "dismiss")
    answer.get_by_role("button", name="Answer: dismiss").click()
    expect(section).to_have_count(1)  # the browser asks for the reason
    expect(answer.locator("input:visible, textarea:visible")).to_have_count(2)
    answered_because = answer.get_by_label("This objection is wrong, because")
    answered_because.fill("the request says so")
    answer.get_by_role("button", name="Answer: dismiss").click()
    expect(section).to_have_count(0)
    given = answer_of(project, "run-objects")
    assert (given.choice, given.reason) == ("dismiss", "the request says so")


def test_every_answer_to_a_request(page, project):
    for choice in ("approve", "edits", "reject"):
        ask(project, f"req{choice}", GateKind.REQUEST, REQUEST)
    for choice in ("approve", "reject"):
        answered(form_of(page, f"req{choice}"), choice)
        assert answer_of(project, f"run-req{choice}").choice == choice
    answered(form_of(page, "reqedits"), "approve", An_instruction="but leave the other tests")
    given = answer_of(project, "run-reqedits")
    assert (given.choice, given.instruction) == ("approve", "but leave the other tests")


def test_an_answer_that_is_none_says_why_and_nothing_is_recorded(page, project):
    trace = ask(project, "wrong", GateKind.ESCALATION, ESCALATION)
    answer = opened_answer(form_of(page, "wrong"), "continue")
    field = answer.get_by_label("More iterations")
    field.evaluate("(each) => { each.removeAttribute('max'); }")
    field.fill("99")
    answer.get_by_role("button", name="Answer: continue").click()
    expect(answer.locator(".said")).to_contain_text("iterations: Input should be less than or equal to 10")
    assert not [each for each in project.log.replay(trace) if isinstance(each.body, GateAnswered)]


def test_a_question_appears_by_itself_and_is_answered_by_keyboard_alone(page, project):
    page.goto("/gates")
    trace = ask(project, "keys", GateKind.REQUEST, REQUEST)
    section = page.locator("section.question", has_text="keys <b>asks</b>")
    expect(section).to_be_visible()
    tab_to(page, section.locator("details[name] > summary").last)
    page.keyboard.press("Enter")
    tab_to(page, section.locator("details[open]").get_by_label("Reason, for the record"))
    page.keyboard.type("by keyboard")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(section.locator("details[open]").get_by_role("checkbox")).not_to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(section).to_have_count(0)
    given = answer_of(project, trace)
    assert (given.choice, given.reason) == ("reject", "by keyboard")


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_questions_can_be_answered_by_everybody_and_on_a_small_screen(page, project):
    light = page.evaluate("matchMedia('(prefers-color-scheme: light)').matches")
    ask(project, "light" if light else "dark", GateKind.REQUEST, REQUEST)
    assert_usable(page, ["/gates"])


def test_a_run_asks_is_answered_and_goes_on_to_its_end(page):
    page.goto("/")
    open_form(page).fill("make the failing tests pass")
    page.get_by_role("button", name="Start the run").click()
    row = page.get_by_role("row").filter(has_text="make the failing tests pass")
    expect(row).to_contain_text("1 of 1 iterations", timeout=SLOW_MS)
    row.get_by_role("rowheader").get_by_role("link").click()
    section = page.locator("section.question")
    expect(page.locator("table.grid thead th")).to_have_count(4)
    opened_answer(section, "continue").get_by_role("button", name="Answer: continue").click()
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
    expect(page.locator("table.grid thead th")).to_have_count(5)
    expect(section).to_have_count(0)


def started(project, wish, agent, **environment):
    """Begin a run in a process of its own, as a person in a terminal does."""
    words = [sys.executable, "-m", "setpoint", "run", wish, "--agent", agent]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(words, cwd=project.root, env={**os.environ, **QUICK, **environment}, **silent)


def test_a_run_that_was_killed_is_gone_on_with(page, project):
    driving = started(project, "wait for me", "waits")
    page.goto("/")
    row = page.get_by_role("row").filter(has_text="wait for me")
    expect(row).to_contain_text("running", timeout=SLOW_MS)
    row.get_by_role("rowheader").get_by_role("link").click()
    expect(page.locator("ol.log")).to_contain_text("waits works on", timeout=SLOW_MS)
    time.sleep(0.5)  # it is to be killed while its agent works, not while that is recorded
    os.kill(driving.pid, signal.SIGKILL)
    driving.wait()
    expect(page.locator("main .mark").first).to_have_text("interrupted")
    (project.root.parent / "go").touch()
    page.get_by_role("button", name="Continue the run").click()
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
