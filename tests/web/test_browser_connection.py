"""Many tabs on one server, and pages that lose it: what a person sees, and what they are told."""

import os
import re
import socket
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from acceptance.conftest import QUICK
from model.examples import ORDER
from setpoint.model.events.run import RunStarted
from setpoint.model.ids import TraceId
from web.browsing import in_a_browser, open_form
from web.conftest import VERIFIED, make_project

pytestmark = in_a_browser
HIDES = """
let hidden = false;
Object.defineProperty(document, "hidden", { get: () => hidden });
window.turn = (to) => { hidden = to; document.dispatchEvent(new Event("visibilitychange")); };
window.opened = [];
const Real = window.EventSource;
window.EventSource = class extends Real {
  constructor(...given) { super(...given); window.opened.push(this); }
};
window.EventSource.CONNECTING = 0; window.EventSource.CLOSED = 2;
window.alive = () => opened.filter((each) => each.readyState !== 2).length;
"""
"""Here every tab counts as shown, so a page is told that it is hidden; and its streams are counted."""
SAYS = """
window.EventSource = class extends EventTarget {
  constructor() { super(); this.readyState = 1; window.spoken = this; }
  close() { this.readyState = 2; }
};
window.fetched = 0;
document.addEventListener("htmx:beforeRequest", () => { fetched += 1; });
window.say = (data) => { spoken.dispatchEvent(new MessageEvent("mark", { data })); return fetched; };
"""
"""Here the test says what the stream says, and hears how often the page has asked for a newer one by then."""
TABS = 7
"""More than a browser has connections to one server."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = make_project(tmp_path_factory.mktemp("connection") / "shop")
    yield made
    made.store.close()


@pytest.fixture
def context(chromium, link, state):
    """A browser that is logged in; that it complains of lost connections is the point here."""
    made = chromium.new_context(storage_state=state, base_url=link.partition("/login")[0])
    made.set_default_timeout(20_000)
    expect.set_options(timeout=20_000)
    made.add_init_script(HIDES)
    yield made
    made.close()


def begun(project, name):
    trace = TraceId(f"run-{name}")
    order = ORDER.model_copy(update={"trace_id": trace, "root": str(project.root)})
    project.log.append(trace, "start", [RunStarted(order=order, workdir=str(project.root))])
    return trace


def test_more_tabs_than_a_browser_has_connections(context, project):
    tabs = []
    for number in range(TABS):
        tab = context.new_page()
        tab.goto("/" if number % 2 or number == TABS - 1 else f"/runs/{VERIFIED}")
        tab.wait_for_function("alive() === 1")
        tabs.append(tab)
        if number < TABS - 1:
            tab.evaluate("turn(true)")
            assert tab.evaluate("alive()") == 0
    first, other, last = tabs[1], tabs[3], tabs[-1]
    trace = begun(project, "5tabs")
    expect(last.get_by_role("link", name=trace)).to_be_visible()
    expect(other.get_by_role("link", name=trace)).to_have_count(0)
    first.evaluate("turn(false)")
    expect(first.get_by_role("link", name=trace)).to_be_visible()
    assert [first.evaluate("alive()"), other.evaluate("alive()")] == [1, 0]
    for _ in range(2):  # who only looks away twice has one stream yet
        first.evaluate("turn(true); turn(false)")
    assert first.evaluate("alive()") == 1
    again = begun(project, "6tabs")
    expect(first.get_by_role("link", name=again)).to_be_visible()
    expect(first.locator("#connection")).to_have_text("")


@pytest.fixture
def serving(project):
    """Gives a way to start the dashboard on one and the same port, again and again."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = []

    def start():
        words = [sys.executable, "-m", "setpoint", "serve", "--port", str(port)]
        environment = {**os.environ, **QUICK, "PYTHONUNBUFFERED": "1"}
        made = subprocess.Popen(words, cwd=project.root, env=environment, stdout=subprocess.PIPE, text=True)
        running.append(made)
        return made, made.stdout.readline().strip()

    yield start
    for each in running:
        each.kill()
        each.communicate()


def test_a_page_that_lost_the_server_says_so_until_it_is_back(context, project, serving):
    server, link = serving()
    page = context.new_page()
    page.goto(link)
    page.wait_for_url(re.compile(r"/$"))
    page.wait_for_function("alive() === 1")
    sign = page.get_by_role("status").filter(has_text="Not connected")
    expect(sign).to_have_count(0)
    server.kill()
    server.wait()
    expect(sign).to_contain_text("this page shows how things stood at ")
    expect(sign).to_have_text(re.compile(r" at \d\d:\d\d\. It catches up by itself\."))
    open_form(page).fill("a wish")
    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("#begin .said")).to_have_text("The server does not answer: nothing was done.")
    expect(page.get_by_label("Request (a sentence)")).to_have_value("a wish")
    trace = begun(project, "7away")
    _, again = serving()
    assert again.partition("?")[0] == link.partition("?")[0]
    expect(page.get_by_text("Logged out: the server was started again.")).to_be_visible()
    expect(page.get_by_label("Request (a sentence)")).to_have_value("a wish")
    context.new_page().goto(again)
    expect(page.locator(f"[data-row={trace}]")).to_be_visible()
    expect(sign).to_have_count(0)
    expect(page.get_by_text("Logged out")).to_have_count(0)
    assert page.evaluate("alive()") == 1


@pytest.fixture
def questions(context):
    """A page of questions whose stream the test speaks for."""
    page = context.new_page()
    page.add_init_script(SAYS)
    page.goto("/gates")
    page.wait_for_function("window.spoken")
    return page


def test_what_changes_and_changes_back_between_two_looks_is_seen(questions):
    live = questions.locator("#live")
    shown = live.get_attribute("data-mark")
    live.evaluate("(each) => { each.dataset.mark = 'of before'; }")
    assert questions.evaluate("say", "of before") == 0
    assert questions.evaluate("say", "new") == 1
    expect(live).to_have_attribute("data-mark", shown)
    assert questions.evaluate("say", shown) == 1
    assert questions.evaluate("say", "new") == 2, "the stream has not seen what the page shows by now"


def test_a_page_that_cannot_be_fetched_is_asked_for_again_after_a_while(questions):
    questions.clock.install()
    questions.reload()
    questions.wait_for_function("window.spoken")
    questions.route("**/gates", lambda route: route.fulfill(status=500, body="not now"))
    with questions.expect_response("**/gates"):
        assert questions.evaluate("say", "new") == 1
    assert questions.evaluate("say", "new") == 1
    questions.clock.fast_forward(6_000)
    assert questions.evaluate("fetched") == 2, "though the stream says nothing more"
    assert questions.evaluate("say", "new") == 2
