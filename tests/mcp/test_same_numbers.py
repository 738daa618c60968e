"""One run has the same numbers in every place that tells of it, while it works and after."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from acceptance.conftest import RIGHT, Repository
from acceptance.test_cancel import begun
from acceptance.test_run_verb import _until
from setpoint.cli.project.serve import _told
from setpoint.history.queries import RunSummary
from setpoint.history.run_fold import fold
from setpoint.model.events import Event
from setpoint.web.access import Scope
from setpoint.web.app import make_app
from setpoint.wiring.project import open_project
from web.keys import known_access

HERE = "127.0.0.1:7410"
TOLD = '[notify.mail]\nform = "command"\ncommand = ["sh", "-c", "cat >> told.txt"]\n'


def listed(repository: Repository) -> tuple[str, int, str] | None:
    rows = json.loads(repository.setpoint("status", "--json").stdout)
    return (rows[0]["phase"], rows[0]["iteration"], rows[0]["cost_usd"]) if rows else None


async def in_every_place(repository: Repository, connect) -> RunSummary:
    """Return what the list says of the only run, after every other place was found to say the same."""
    show = [Event.model_validate(each) for each in json.loads(repository.setpoint("show", "--json").stdout)]
    (row,) = [
        RunSummary.model_validate(each) for each in json.loads(repository.setpoint("status", "--json").stdout)
    ]
    assert fold(show).figures.model_dump() == row.model_dump(
        include=set(type(fold(show).figures).model_fields)
    )
    async with connect(repository.root) as agent:
        mcp = await agent.call("run_status", run=row.trace_id)
        report = await agent.read(f"setpoint://runs/{row.trace_id}/report")
    project = open_project(repository.root)
    try:
        access = known_access(project)
        visitor = TestClient(make_app(project, access, [HERE], _told), base_url=f"http://{HERE}")
        visitor.headers |= {"authorization": f"Bearer {access.tokens[Scope.ADMIN]}"}
        every, one = (visitor.get(f"/api/v1/runs{end}").json() for end in ("", f"/{row.trace_id}"))
        metrics = visitor.get("/metrics").text
    finally:
        project.store.close()
    assert every == [one] == [row.model_dump(mode="json")]
    status = repository.setpoint("status", COLUMNS="200").stdout
    money = row.cost.partition(" of ")[0]
    for text in (status, mcp, report, repository.setpoint("show").stdout if row.ending else mcp):
        assert money in text
    assert row.cost in status
    assert row.cost in mcp
    assert f"iteration {row.iteration}" in mcp
    assert re.search(rf"\b{row.iteration} of at most {row.most_iterations}\b", report)
    assert str(row.ending or row.state) in status
    assert f"{row.trace_id}: {row.ending or row.state}" in mcp
    assert f'setpoint_spent_usd{{window_days="7"}} {float(row.cost_usd)!r}' in metrics
    assert status.splitlines()[-1].endswith(f" · {money}")
    return row


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_run_has_the_same_numbers_in_every_place(
    repository: Repository, connect, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    repository.write(".gitignore", "told.txt\n")
    wrong = [{"write": "calc.py", "text": "def add(a, b):\n    return a * b\n"}, {"cost": 0.25}]
    waits = [{"cost": 0.5}, {"shell": f"while [ ! -e '{go}' ]; do sleep 0.1; done"}]
    repository.agent(wrong, [*waits, {"write": "calc.py", "text": RIGHT}], settings=TOLD)
    running = begun(repository)
    try:
        _until(lambda: listed(repository) == ("implement", 2, "0.75"), seconds=300)
        works = await in_every_place(repository, connect)
    finally:
        go.touch()
        printed, _ = running.communicate(timeout=300)
    assert (works.state, works.verdict, works.iteration) == ("running", "", 2)
    assert works.phase == "implement"
    assert works.score == ""

    over = await in_every_place(repository, connect)
    ended = json.loads(printed)
    assert (over.ending, over.branch, over.iteration) == (
        ended["ending"],
        ended["branch"],
        ended["iterations"],
    )
    assert (over.tests, over.change, over.asks) == ("2 of 2 tests", "1 file +1 -1", "")
    notice = (repository.root / "told.txt").read_text(encoding="utf-8")
    for part in (over.verdict, over.tests, over.change, over.cost, f"iteration {over.iteration} of "):
        assert part in notice
