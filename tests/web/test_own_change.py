"""A change of one's own to files with carriage returns, as a browser sends it: without them."""

import pytest
from starlette.testclient import TestClient

from model.examples import GATE
from setpoint.cli.project.serve import _told
from setpoint.model.events.people import HumanEdited
from setpoint.web.access import Scope
from setpoint.web.app import make_app
from web.conftest import HERE
from web.keys import known_access
from web.vaulted import TRACE, vaulted_run

STANDS = b"one\r\ntwo\r\nthree\r\n"
DIFF = """--- a/windows.txt
+++ b/windows.txt
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
--- a/plain.txt
+++ b/plain.txt
@@ -1 +1 @@
-a
+b
"""


@pytest.fixture
def project(tmp_path):
    files = {"windows.txt": STANDS, "plain.txt": b"a\n"}
    gate = GATE.model_copy(update={"deadline": None, "default": None})
    made, _ = vaulted_run(tmp_path / "project", {"old.txt": b""}, files, waits=gate)
    yield made
    made.store.close()


@pytest.fixture
def browser(project):
    access = known_access(project)
    client = TestClient(make_app(project, access, [HERE], _told), base_url=f"http://{HERE}")
    client.headers |= {"authorization": f"Bearer {access.tokens[Scope.ADMIN]}", "accept": "text/html"}
    return client


def answered(browser, diff):
    form = {"choice": "continue", "gate": GATE.id, "patch": diff.replace("\n", "\r\n")}
    return browser.post(f"/gates/{TRACE}", data=form).text


def test_a_file_with_carriage_returns_keeps_them(browser, project):
    assert "does not fit" in answered(browser, DIFF.replace("-two", "-deux"))
    assert "Your answer is recorded: continue" in answered(browser, DIFF)
    (body,) = [each.body for each in project.log.replay(TRACE) if isinstance(each.body, HumanEdited)]
    assert sorted(body.files) == ["plain.txt", "windows.txt"]
    changed = [line for line in body.diff.split("\n") if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert sorted(filter(None, changed)) == ["+b", "+zwei\r", "-a", "-two\r"]
