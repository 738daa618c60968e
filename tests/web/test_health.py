"""What monitors and load balancers ask: no login, no detail."""

import time
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from setpoint.cli.project.serve import _told
from setpoint.web import health
from setpoint.web.app import make_app
from web.conftest import HERE


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_server_that_works_says_so_to_anyone(anyone, path):
    answer = anyone.get(path)
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert anyone.get(path, headers={"host": "evil.example"}).status_code == 421
    assert anyone.post(path, json={}).status_code == 405


@pytest.fixture
def away(project, access):
    """The dashboard of which the record cannot be opened."""

    class Away:
        def __init__(self, take_s):
            self.take_s = take_s

        def answers(self):
            time.sleep(self.take_s)
            return False

    def made(take_s=0.0):
        app = make_app(project, access, [HERE], _told)
        app.state.desk = replace(app.state.desk, project=project._replace(store=Away(take_s)))
        return TestClient(app, base_url=f"http://{HERE}")

    return made


def test_a_record_that_is_away_is_told_in_one_sentence(away):
    client = away()
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text.count("\n")) == (503, 1)
    assert "setpoint db check" in answer.text
    assert client.get("/healthz").status_code == 200


def test_a_record_that_answers_too_late_is_away(away, monkeypatch):
    monkeypatch.setattr(health, "MOST_S", 0.01)
    assert away(take_s=0.2).get("/readyz").status_code == 503
