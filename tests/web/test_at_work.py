"""The page of a run at work: what runs, for how long, and what a person can do meanwhile."""

import asyncio
import re
import subprocess

import pytest

from cli.live_story import working
from model.examples import ORDER
from setpoint.model.events.live import HintGiven, PauseEnded, PauseRequested
from setpoint.model.events.run import RunStarted
from setpoint.model.ids import TraceId
from setpoint.system.files.locks import RunLocks
from setpoint.workspace.work_copy import GitWorkspace

WORKS = TraceId("run-8works")


@pytest.fixture
def at_work(project):
    """Let a run be at work, in the middle of a call of a tool."""
    if not project.log.replay(WORKS):
        for event in working():
            body = event.body
            if isinstance(body, RunStarted):
                base = subprocess.check_output(
                    ["git", "rev-parse", "HEAD"], cwd=project.root, text=True
                ).strip()
                order = ORDER.model_copy(update={"trace_id": WORKS, "root": str(project.root), "base": base})
                body = body.model_copy(update={"order": order})
            project.log.append(WORKS, event.key, [body])
    with RunLocks(project.state).held(WORKS):
        yield project


def test_a_running_call_is_shown_with_its_beginning(browser, at_work):
    page = browser.get(f"/runs/{WORKS}").text
    section = page[page.index('id="at-work"') : page.index("</section>", page.index('id="at-work"'))]
    assert re.search(r"▸ <code>Bash: python -m pytest[^<]*</code> <span[^>]* data-since=\"\d{13}\"", section)
    assert "Now the tests." in section
    assert "18400 tokens" in section
    assert "#2 of 7" in section


def test_what_the_agent_has_changed_until_now_is_shown_and_grows(browser, at_work):
    assert f'hx-get="/runs/{WORKS}/so-far"' in browser.get(f"/runs/{WORKS}").text
    assert "Changed so far" not in browser.get(f"/runs/{WORKS}/so-far").text
    base = at_work.log.replay(WORKS)[0].body.order.base
    asyncio.run(GitWorkspace(at_work.folders).open(WORKS, base))
    copy = at_work.folders.work_of(WORKS)
    (copy / "a.py").write_text("x = 2\n")
    shown = browser.get(f"/runs/{WORKS}/so-far").text
    assert "Changed so far" in shown
    assert "<code>a.py</code>" in shown
    (copy / "new.py").write_text("y = 1\n")
    assert "<code>new.py</code>" in browser.get(f"/runs/{WORKS}/so-far").text
    assert list(at_work.state.rglob("index.*")) == [], "nothing is left"


def test_a_run_that_is_over_is_not_at_work(browser):
    assert 'id="at-work"' not in browser.get("/runs/run-1verified").text


def test_a_hint_and_a_pause_are_recorded(browser, at_work):
    sent = browser.post(f"/runs/{WORKS}/hint", data={"text": "round half up"})
    assert (sent.status_code, "waits for the next prompt" in sent.text) == (200, True)
    assert "holds before its next step" in browser.post(f"/runs/{WORKS}/pause", data={"end": "false"}).text
    assert "Let it continue" in browser.get(f"/runs/{WORKS}").text
    assert "continues" in browser.post(f"/runs/{WORKS}/pause", data={"end": "true"}).text
    bodies = [event.body for event in at_work.log.replay(WORKS)]
    assert [body.text for body in bodies if isinstance(body, HintGiven)] == ["round half up"]
    assert sum(isinstance(body, PauseRequested | PauseEnded) for body in bodies) == 2
    assert "is finished already" in browser.post("/runs/run-1verified/hint", data={"text": "x"}).text
