"""Static tools run beside the tests; who waits for an empty lane is told when there is one."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import CheckResult
from setpoint.domain.ids import Commit, TraceId, Tree
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


async def ran(tmp_path: Path, log: list[str]) -> None:
    """Run two static tools, the second until the tests have begun, and tests until the lane is empty."""
    idle, begun = asyncio.Event(), asyncio.Event()
    tools = [Waiting("first", None, log), Waiting("second", begun, log)]
    tests = [Waiting("short", None, log, begun), Waiting("tests", idle, log)]
    copy = WorkCopy(trace_id=TraceId("t"), path=str(tmp_path), base=Commit("a"), base_tree=Tree("b"))
    place = Measured(copy, Commit("a"), Tree("b"), Stage.TEST)
    bench = Bench(cache=None, pace=Pace(tmp_path / "pace.json"))
    await measure(
        place,
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
