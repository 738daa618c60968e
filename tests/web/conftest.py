"""A project with runs of every kind, and the dashboard before it."""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect, sync_playwright
from starlette.testclient import TestClient

from acceptance.conftest import QUICK
from checks.conftest import git, write
from history.report_runs import verified_run
from history.reports.test_run_report import hostile_run
from model.examples import GATE, ORDER
from setpoint.cli.project.serve import _told
from setpoint.model.events.run import GateOpened, RunStarted
from setpoint.model.ids import TraceId
from setpoint.web.access import Scope
from setpoint.web.app import make_app
from setpoint.wiring.project import open_project
from web.browsing import PROGRAM
from web.keys import known_access

HERE = "127.0.0.1:7410"
VERIFIED, HOSTILE, ASKING = (TraceId(f"run-{name}") for name in ("1verified", "2hostile", "3asking"))


def make_project(place):
    """Make a repository whose log holds a verified run, a hostile one, and one that waits for a person."""
    write(place, {"a.py": "x = 1\n"})
    git(place, "init", "-q")
    git(place, "config", "user.name", "Ada")
    git(place, "config", "user.email", "ada@localhost")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "base")
    project = open_project(place)
    for trace, events in ((VERIFIED, verified_run(place)), (HOSTILE, hostile_run(place))):
        for event in events:
            body = event.body
            if isinstance(body, RunStarted):
                body = body.model_copy(update={"order": body.order.model_copy(update={"trace_id": trace})})
            project.log.append(trace, event.key, [body])
    order = ORDER.model_copy(update={"trace_id": ASKING, "root": str(place), "started_at": datetime.now(UTC)})
    gate = GATE.model_copy(update={"deadline": None, "default": None, "asked_at": datetime.now(UTC)})
    project.log.append(ASKING, "start", [RunStarted(order=order, workdir=str(place))])
    project.log.append(ASKING, f"gate:{gate.id}", [GateOpened(gate=gate)])
    return project


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    made = make_project(tmp_path_factory.mktemp("site") / "project")
    yield made
    made.store.close()


@pytest.fixture(scope="module")
def access(project):
    return known_access(project)


@pytest.fixture(scope="module")
def app(project, access):
    return make_app(project, access, [HERE], _told)


@pytest.fixture
def anyone(app):
    """A visitor that nobody knows."""
    return TestClient(app, base_url=f"http://{HERE}", follow_redirects=False)


@pytest.fixture
def browser(anyone, access):
    """A browser that is logged in, with what its pages send along."""
    session = access.session(Scope.ADMIN)
    anyone.cookies.set(access.cookie, session)
    anyone.headers |= {"x-setpoint-csrf": access.by_session(session).csrf, "accept": "text/html"}
    return anyone


@pytest.fixture
def program(anyone, access):
    """A program with the token of all scopes."""
    anyone.headers |= {"authorization": f"Bearer {access.tokens[Scope.ADMIN]}"}
    return anyone


@pytest.fixture(scope="module")
def asking():
    """What the server and the runs that it begins find in their environment, on top."""
    return {}


@pytest.fixture(scope="module")
def link(project, asking):
    """Start the server, and give its login link."""
    environment = {**os.environ, **QUICK, **asking, "PYTHONUNBUFFERED": "1"}
    serving = subprocess.Popen(
        [sys.executable, "-m", "setpoint", "serve", "--port", "0"],
        cwd=project.root,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield serving.stdout.readline().strip()
    serving.terminate()
    serving.communicate(timeout=30)


@pytest.fixture(scope="module")
def chromium(link):
    """Start a browser, after all that needs an event loop of its own: here one runs from now on."""
    assert link
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def state(chromium, link):
    """Log in once by the link, and keep what the browser was given."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(link)
    page.wait_for_url(re.compile(r"/$"))
    kept = context.storage_state()
    context.close()
    return kept


@pytest.fixture(params=["light"])
def page(request, chromium, link, state):
    """A page of a browser that is logged in; what it complains of fails the test."""
    context = chromium.new_context(
        storage_state=state, base_url=link.partition("/login")[0], color_scheme=request.param
    )
    context.set_default_timeout(20_000)
    expect.set_options(timeout=20_000)  # a slow machine is no fault of the page
    opened = context.new_page()
    complaints = []
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    provoked = ("404", "422")  # pages that are not there and forms that say nothing of use, which tests send
    assert [each for each in complaints if not any(code in each for code in provoked)] == []
