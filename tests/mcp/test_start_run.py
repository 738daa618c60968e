"""Runs that an agent starts: off by default, counted, with little money, and never from inside a run."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from acceptance.conftest import RIGHT
from checks.conftest import git, write
from setpoint.model.ending import Ending
from setpoint.model.events.own_agents import TRACE, RunRequested
from setpoint.model.ids import TraceId
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import find_run, open_project

WISH = "make the failing tests pass"
ALLOWED = "[mcp]\nstart_runs = true\nmax_runs_per_day = 1\nmax_cost_usd = 0.5\n"


@pytest.fixture
def project(repository):
    made = open_project(repository.root)
    yield made
    made.store.close()


async def until_it_ends(project, trace_id: str):
    for _ in range(600):
        run = find_run(project, trace_id)
        if run.ending is not None:
            return run
        await asyncio.sleep(0.1)
    raise AssertionError("it does not end")


async def test_agents_start_no_runs_by_default_and_cannot_allow_it_in_their_session(
    repository, project, connect
) -> None:
    async with connect(repository.root) as agent:
        first = await agent.refused("start_run", request=WISH)
        repository.write("setpoint.toml", ALLOWED)
        second = await agent.refused("start_run", request=WISH)

    for said in (first, second):
        assert "agents may not start runs in this repository" in said
        assert "start_runs = true" in said
    assert project.log.replay(TRACE) == ()


async def test_an_allowed_run_outlives_the_session_and_is_counted(repository, project, connect) -> None:
    repository.agent([{"write": "calc.py", "text": RIGHT}], settings=f'{ALLOWED}[agents]\nmaker = "actor"\n')
    async with connect(repository.root) as agent:
        wrong = await agent.refused("start_run", request="notes/plan.md")
        said = await agent.call("start_run", request=WISH)
        trace_id = said.split(";")[0].removeprefix("Started ")
        status = await agent.call("run_status", run=trace_id)
        second = await agent.refused("start_run", request="and one more")
    run = await until_it_ends(project, trace_id)
    (event,) = project.log.replay(TRACE)
    order = json.loads((project.log.replay(run.trace_id)[0].body).order.model_dump_json())

    assert "not by a file" in wrong
    assert "it may cost $0.50. 0 more may be started within 24 hours" in said
    assert trace_id in status
    assert "agents have started 1 run within 24 hours (mcp.max_runs_per_day)" in second
    assert run.ending is Ending.VERIFIED
    assert isinstance(event.body, RunRequested)
    assert (event.body.request, event.body.client) == (WISH, "agent-under-test")
    assert order["limits"]["max_cost_usd"] in ("0.5", 0.5)


async def test_a_run_that_cannot_begin_says_why(repository, connect) -> None:
    repository.write("setpoint.toml", f'{ALLOWED}[agents]\nmaker = "nobody-knows-it"\n')
    async with connect(repository.root) as agent:
        said = await agent.refused("start_run", request=WISH)

    assert "the run has ended at once" in said
    assert "nobody-knows-it" in said


async def test_below_a_run_every_tool_is_refused(repository, project, connect) -> None:
    repository.write("setpoint.toml", ALLOWED)
    with RunLocks(project.state).held(TraceId("run-1")):  # this process is above the server
        async with connect(repository.root) as agent:
            said = [await agent.refused("start_run", request=WISH), await agent.refused("check")]

    assert all("Setpoint drives this agent" in each for each in said)
    assert all("setpoint_check" in each for each in said)


async def test_in_the_work_copy_of_a_run_every_tool_is_refused(tmp_path, connect) -> None:
    copy = tmp_path / "project-1" / "trees" / "work" / "run-1"
    write(copy, {"calc.py": RIGHT})
    write(tmp_path / "project-1", {"repository.json": "{}"})
    git(copy, "init", "-q")
    git(copy, "add", "-A")
    git(copy, "commit", "-qm", "base")
    async with connect(copy) as agent:
        tools = [each.name for each in (await agent.client.list_tools()).tools]
        said = [
            await agent.refused(name, **arguments)
            for name, arguments in (
                ("check", {}),
                ("start_run", {"request": WISH}),
                ("record_feedback", {"action": "comment", "text": "x", "place": "a.py:1"}),
                ("open_questions", {}),
            )
        ]

    assert len(tools) == 9
    assert all("Setpoint drives this agent" in each for each in said)
    assert not (copy / ".setpoint").exists()
    shutil.rmtree(copy)
