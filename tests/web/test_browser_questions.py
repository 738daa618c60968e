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
from web.browsing import SLOW_MS, assert_usable, in_a_browser, open_form, tab_to

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


def answered(page, section, choice):
    section.get_by_role("radio", name=choice).check()
    section.get_by_role("checkbox", name="Continue the run at once").uncheck()
    section.get_by_role("button", name="Answer").click()
    expect(section).to_have_count(0)


def test_every_answer_to_an_escalation(page, project):
    for choice in ESCALATION:
        ask(project, f"esc{choice}", GateKind.ESCALATION, ESCALATION)
    section = form_of(page, "esccontinue")
    section.get_by_label("More iterations").fill("2")
    section.get_by_label("More US dollars").fill("1.25")
    section.get_by_label("More minutes of work").fill("")
    section.get_by_role("checkbox", name="With a new approach").check()
    section.get_by_label("An instruction for the maker").fill("smaller steps")
    answered(page, section, "continue")
    given = answer_of(project, "run-esccontinue")
    assert (given.grant.iterations, str(given.grant.cost_usd), given.grant.wall_s) == (2, "1.25", 90)
    assert (given.new_approach, given.instruction) == (True, "smaller steps")
    for choice in ("accept", "cancel"):
        section = form_of(page, f"esc{choice}")
        section.get_by_label("Reason, for the record").fill(f"because of {choice}")
        answered(page, section, choice)
        given = answer_of(project, f"run-esc{choice}")
        assert (given.choice, given.reason) == (choice, f"because of {choice}")


def test_every_answer_to_a_request(page, project):
    for choice in ("approve", "edits", "reject"):
        ask(project, f"req{choice}", GateKind.REQUEST, REQUEST)
    for choice in ("approve", "reject"):
        answered(page, form_of(page, f"req{choice}"), choice)
        assert answer_of(project, f"run-req{choice}").choice == choice
    section = form_of(page, "reqedits")
    section.get_by_label("With edits").fill("but leave the other tests")
    answered(page, section, "approve")
    given = answer_of(project, "run-reqedits")
    assert (given.choice, given.instruction) == ("approve", "but leave the other tests")


def test_an_answer_that_is_none_says_why_and_nothing_is_recorded(page, project):
    trace = ask(project, "wrong", GateKind.ESCALATION, ESCALATION)
    section = form_of(page, "wrong")
    section.get_by_role("radio", name="continue").check()
    field = section.get_by_label("More iterations")
    field.evaluate("(each) => { each.removeAttribute('max'); }")
    field.fill("99")
    section.get_by_role("button", name="Answer").click()
    expect(section.locator(".said")).to_contain_text("iterations: Input should be less than or equal to 10")
    assert not [each for each in project.log.replay(trace) if isinstance(each.body, GateAnswered)]


def test_a_question_appears_by_itself_and_is_answered_by_keyboard_alone(page, project):
    page.goto("/gates")
    trace = ask(project, "keys", GateKind.REQUEST, REQUEST)
    section = page.locator("section.question", has_text="keys <b>asks</b>")
    expect(section).to_be_visible()
    tab_to(page, section.get_by_role("radio", name="approve"))
    page.keyboard.press("ArrowDown")
    expect(section.get_by_role("radio", name="reject")).to_be_checked()
    tab_to(page, section.get_by_label("Reason, for the record"))
    page.keyboard.type("by keyboard")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(section.get_by_role("checkbox", name="Continue the run at once")).not_to_be_checked()
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
    row.get_by_role("link", name="run-").click()
    section = page.locator("section.question")
    expect(page.locator("svg.plot circle")).to_have_count(2)
    section.get_by_role("radio", name="continue").check()
    section.get_by_role("button", name="Answer").click()
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
    expect(page.locator("svg.plot circle")).to_have_count(3)
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
    row.get_by_role("link", name="run-").click()
    expect(page.locator("ol.log")).to_contain_text("waits works on", timeout=SLOW_MS)
    time.sleep(0.5)  # it is to be killed while its agent works, not while that is recorded
    os.kill(driving.pid, signal.SIGKILL)
    driving.wait()
    expect(page.locator("main .mark").first).to_have_text("interrupted")
    (project.root.parent / "go").touch()
    page.get_by_role("button", name="Continue the run").click()
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
