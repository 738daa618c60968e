"""Static tools run beside the tests; who waits for an empty lane is told when there is one."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import CheckResult
from setpoint.domain.ids import Commit, TraceId, Tree
from setpoint.evaluators import run as lanes
from setpoint.evaluators.pace import Pace
from setpoint.evaluators.results import unmeasured
from setpoint.evaluators.run import Bench, Group, measure
from setpoint.ports import Measured, WorkCopy


@dataclass(frozen=True)
class Waiting:
    """A check that notes when it begins and ends, and takes as long as somebody else says."""

    name: str
    until: asyncio.Event | None
    log: list[str]
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, measured: Measured) -> CheckResult:
        self.log.append(f"{self.name} begins")
        if self.until is not None:
            await self.until.wait()
        self.log.append(f"{self.name} ends")
        self.ended.set()
        return unmeasured(self.name, measured.tree, "")


def place_at(tmp_path: Path) -> Measured:
    copy = WorkCopy(trace_id=TraceId("t"), path=str(tmp_path), base=Commit("a"), base_tree=Tree("b"))
    return Measured(copy, Commit("a"), Tree("b"), Stage.TEST)


async def ran(tmp_path: Path, log: list[str]) -> None:
    """Run two static tools, the second until the tests have begun, and tests until the lane is empty."""
    idle, begun = asyncio.Event(), asyncio.Event()
    tools = [Waiting("first", None, log), Waiting("second", begun, log)]
    tests = [Waiting("short", None, log, begun), Waiting("tests", idle, log)]
    bench = Bench(cache=None, pace=Pace(tmp_path / "pace.json"))
    await measure(
        place_at(tmp_path),
        [Group(checks=(each,), identity=None) for each in tools],
        [Group(checks=tuple(tests), identity=None, idle=idle)],
        bench,
    )


async def test_it_is_told_when_no_static_tool_runs_any_more(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    log: list[str] = []
    async with asyncio.timeout(20):
        await ran(tmp_path, log)
    assert log[-1] == "tests ends"
    assert log.index("second ends") > log.index("short ends")


async def test_where_there_is_one_processor_it_is_never_told(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    log: list[str] = []
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await ran(tmp_path, log)
    assert "second ends" in log
    assert "tests ends" not in log


@pytest.mark.parametrize(
    ("processors", "tool_s", "said", "waits"),
    [(2, 1.0, True, True), (2, 1.0, False, True), (2, 90.0, True, False), (8, 1.0, True, False)],
    ids=["until they have begun", "not for ever", "not what takes longer", "not where there is room"],
)
async def test_other_tools_wait_until_the_tests_have_begun(
    tmp_path: Path, monkeypatch, *, processors: int, tool_s: float, said: bool, waits: bool
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    monkeypatch.setattr(lanes, "_BEGIN_S", 1.0)
    (tmp_path / "pace.json").write_text(json.dumps({"tool": tool_s, "tests": 30.0}))
    log, begun = list[str](), asyncio.Event()
    tool = Waiting("tool", None, log)
    static = [Group(checks=(tool,), identity=None)]
    tests = [Group(checks=(Waiting("tests", tool.ended, log),), identity=None, begun=begun)]
    bench = Bench(cache=None, pace=Pace(tmp_path / "pace.json"))
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        tasks.create_task(measure(place_at(tmp_path), static, tests, bench))
        await asyncio.sleep(0.3)
        assert ("tool ends" in log) is not waits
        if said:
            begun.set()
    assert sorted(log) == ["tests begins", "tests ends", "tool begins", "tool ends"]


async def test_nobody_waits_for_tests_that_are_over(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(lanes, "_BEGIN_S", 60.0)
    log = list[str]()
    static = [Group(checks=(Waiting("tool", None, log),), identity=None)]
    tests = [Group(checks=(Waiting("tests", None, log),), identity=None, begun=asyncio.Event())]
    async with asyncio.timeout(20):
        await measure(place_at(tmp_path), static, tests, Bench(cache=None, pace=Pace(tmp_path / "pace.json")))
    assert log == ["tests begins", "tests ends", "tool begins", "tool ends"]


async def test_many_tools_wait_no_longer_than_one(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(lanes, "_BEGIN_S", 1.0)
    (tmp_path / "pace.json").write_text(json.dumps(dict.fromkeys("abcdefgh", 1.0)))
    tools = [Waiting(name, None, []) for name in "abcdefgh"]
    tests = [Group(checks=(Waiting("tests", tools[-1].ended, []),), identity=None, begun=asyncio.Event())]
    static = [Group(checks=(each,), identity=None) for each in tools]
    began = asyncio.get_running_loop().time()
    async with asyncio.timeout(20):
        await measure(place_at(tmp_path), static, tests, Bench(cache=None, pace=Pace(tmp_path / "pace.json")))
    assert 0.9 < asyncio.get_running_loop().time() - began < 6
