"""What a person changes themselves, by real clicks: a run goes on from it, a request is approved with it."""

import json
import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from acceptance.conftest import ASKING, BUG, QUICK, RIGHT, TESTS, new_repository
from acceptance.test_edits import TEST, diff
from setpoint.app.people.gates import open_gate
from setpoint.model.events.people import HumanEdited
from setpoint.model.events.run import GateAnswered
from setpoint.model.gate import Choice, Via
from setpoint.wiring.project import find_run, open_project
from web.browsing import SLOW_MS, in_a_browser, opened_answer, picture

pytestmark = [*in_a_browser, pytest.mark.slow]
WRONG = BUG.replace("a - b", "a * b")
WANTED = TESTS.replace("add(2, 3) == 5", "add(2, 3) == -1")
ONE = {"SETPOINT_LIMITS__MAX_ITERATIONS": "1"}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A repository with a maker that is wrong, and one that asks to change a test."""
    repository = new_repository(tmp_path_factory.mktemp("edits") / "shop")
    repository.signed("Ada")
    asks = {"say": f"REQUEST {TEST}: the story wants add() to subtract, and this test wants a sum"}
    repository.agent(
        [{"write": "calc.py", "text": f"{BUG}# as wanted\n"}, asks],
        [{"expect": f"changed {TEST} by hand"}, {"say": "It stands there already."}],
        counter="count",
    )
    repository.shell_agent("errs", f"grep -q 'a + b' calc.py || printf '{WRONG}' > calc.py")
    made = open_project(repository.root)
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def asking():
    """What the processes of the dashboard are started with, on top."""
    return ASKING


def asked(project, wish, agent, *words, **environment):
    """Drive a run in a process of its own, as a person in a terminal does, until it waits for an answer."""
    argv = [sys.executable, "-m", "setpoint", "run", wish, "--agent", agent, "--json", *words]
    env = {**os.environ, **QUICK, **ASKING, **environment}
    done = subprocess.run(argv, cwd=project.root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 10, done.stderr
    return json.loads(done.stdout)["trace_id"]


def edited(project, trace):
    (body,) = [each.body for each in project.log.replay(trace) if isinstance(each.body, HumanEdited)]
    assert body.by == "Ada"
    return body


def delivered(project, trace, path):
    branch = find_run(project, trace).branch
    words = ["git", "show", f"{branch}:{path}"]
    return subprocess.run(words, cwd=project.root, capture_output=True, text=True, check=True).stdout


def test_a_run_goes_on_from_a_change_of_ones_own(page, project):
    trace = asked(project, "the failing tests are to pass", "errs", **ONE)
    page.goto(f"/runs/{trace}")
    section = page.locator("section.question")
    section = opened_answer(section, "continue")
    section.get_by_text("With your own change").click()
    field = section.get_by_label("A unified diff")
    field.fill("this is no diff")
    section.get_by_role("button", name="Answer").click()
    expect(section.locator(".said")).to_contain_text("the change does not fit")
    assert open_gate(project, trace), "what does not fit is no answer"
    field.fill(diff("calc.py", WRONG, RIGHT))
    section.get_by_role("button", name="Answer").click()
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
    assert edited(project, trace).files == ("calc.py",)
    assert delivered(project, trace, "calc.py") == RIGHT


def test_a_request_is_approved_with_edits_of_ones_own(page, project):
    wish = "make add() subtract, as its failing test does not say yet"
    trace = asked(project, wish, "actor", "--known-red", "fix")
    page.goto("/gates")
    section = page.locator("section.question", has_text=trace)
    expect(section).to_contain_text("the story wants add() to subtract")
    section = opened_answer(section, "approve")
    section.get_by_label("An instruction").fill("only this one")
    section.get_by_text("With your own change").click()
    section.get_by_label("A unified diff").fill(diff(TEST, TESTS, WANTED))
    picture(page, "edit")
    section.get_by_role("button", name="Answer").click()
    expect(page.get_by_text("No run waits for a person.")).to_be_visible()
    page.goto(f"/runs/{trace}")
    expect(page.locator("main .mark").first).to_have_text("verified", timeout=SLOW_MS)
    assert edited(project, trace).files == (TEST,)
    assert delivered(project, trace, TEST) == WANTED
    (answer,) = [
        each.body.answer for each in project.log.replay(trace) if isinstance(each.body, GateAnswered)
    ]
    assert (answer.choice, answer.via, answer.instruction) == (Choice.APPROVE, Via.WEB, "only this one")
