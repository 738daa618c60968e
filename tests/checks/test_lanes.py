"""Static tools run beside the tests, the longest first."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from setpoint.checks.cache.durations import Pace
from setpoint.checks.cache.results import ResultCache
from setpoint.checks.results import unmeasured
from setpoint.checks.run import Bench, Group, measure
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState, Fault
from setpoint.model.ids import Commit, TraceId, Tree
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


async def test_static_tools_run_beside_the_tests(tmp_path: Path) -> None:
    log: list[str] = []
    tool = Waiting("tool", None, log)
    bench = Bench(cache=None, pace=Pace(tmp_path / "pace.json"))
    async with asyncio.timeout(20):
        await measure(
            place_at(tmp_path),
            [Group(checks=(tool,), identity=None)],
            [Group(checks=(Waiting("tests", tool.ended, log),), identity=None)],
            bench,
        )
    assert sorted(log) == ["tests begins", "tests ends", "tool begins", "tool ends"]


async def test_what_took_longest_the_last_time_begins_first(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    (tmp_path / "pace.json").write_text(json.dumps({"short": 1.0, "long": 9.0}))
    log: list[str] = []
    tools = [Group(checks=(Waiting(name, None, log),), identity=None) for name in ("short", "long")]
    await measure(place_at(tmp_path), tools, (), Bench(cache=None, pace=Pace(tmp_path / "pace.json")))
    assert log[0] == "long begins"


@dataclass
class Dying:
    """A check that is killed as often as said, and answers then."""

    deaths: int
    tries: int = 0
    name: str = "dying"

    async def run(self, measured: Measured) -> CheckResult:
        self.tries += 1
        if self.tries > self.deaths:
            return unmeasured(self.name, measured.tree, "", state=CheckState.PASS)
        return unmeasured(self.name, measured.tree, "", state=CheckState.ERROR, fault=Fault.KILLED)


@pytest.mark.parametrize(("deaths", "tries", "state"), [(1, 2, "pass"), (2, 3, "pass"), (9, 3, "error")])
async def test_a_check_that_was_killed_is_tried_again_alone(tmp_path: Path, deaths, tries, state) -> None:
    log: list[str] = []
    dying = Dying(deaths)
    cache = ResultCache(tmp_path / "cache")
    bench = Bench(cache=cache, pace=Pace(tmp_path / "pace.json"), back_off_s=(0.0, 0.0))
    groups = [
        Group(checks=(dying,), identity=("dying",)),
        Group(checks=(Waiting("t", None, log),), identity=None),
    ]

    results = await measure(place_at(tmp_path), groups[1:], groups[:1], bench)

    assert (dying.tries, [each.state for each in results], len(log)) == (tries, ["not_measured", state], 2)
    kept = cache.get((Tree("b"), Tree("b"), "dying"))
    assert (kept is None) is (state == "error")
