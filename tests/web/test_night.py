"""The page of the last shift, and the worker beside the server."""

import asyncio

from starlette.testclient import TestClient

from setpoint.app.runs.shift_record import ShiftRecord
from setpoint.cli.project.serve import _told
from setpoint.errors import UsageError
from setpoint.testing import ManualClock
from setpoint.web.app import make_app
from web.conftest import ASKING, HERE


def test_the_page_of_the_last_shift_says_what_came_of_it(browser, project):
    assert "/board/night" in browser.get("/board").text
    assert "No worker has worked here yet" in browser.get("/board/night").text
    record = ShiftRecord(project, ManualClock())
    record.note("2026-01-01", ["totals", "new-one"])
    record.count("2026-01-01", "totals", taken=True)
    text = browser.get("/board/night").text
    assert "2026-01-01" in text
    assert "1 story worked on, 0 with a branch" in text
    assert f'href="/runs/{ASKING}"' in text
    assert "new-one" in text


def test_a_worker_works_beside_the_server_and_ends_with_it(project, access, caplog):
    told = []

    class Worker:
        """Works until it is ended."""

        async def work(self):
            told.append("begun")
            try:
                await asyncio.Event().wait()
            finally:
                told.append("ended")

    with TestClient(make_app(project, access, [HERE], _told, Worker()), base_url=f"http://{HERE}") as anyone:
        assert anyone.get("/login").status_code == 200
        assert told == ["begun"]
    assert told == ["begun", "ended"]

    class Broken:
        """Cannot work."""

        async def work(self):
            raise UsageError("the board is gone")

    with TestClient(make_app(project, access, [HERE], _told, Broken()), base_url=f"http://{HERE}") as anyone:
        assert anyone.get("/login").status_code == 200
    assert "the worker has ended: the board is gone" in caplog.text
