"""Several who write tests at once, each in a copy of the tree; what is good of each is put together."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from setpoint.model.attempt import Attempt, Breakage, Brief, ModelCall, Role, Stop, ToolCall, Usage
from setpoint.model.cover import CoverGoals
from setpoint.model.facts.spending import added
from setpoint.ports import Agent, Observer
from setpoint.ports.toolkit import Toolkit
from setpoint_mechanic.generate.engine import Engine
from setpoint_mechanic.generate.refinement import Texts, refine
from setpoint_mechanic.generate.selection import changed_since, sift, texts_of
from setpoint_mechanic.own_tool_calls import OwnCalls
from setpoint_probe.wire.reach import ReachResult


class Strategies:
    """Lets all write tests for the same tree side by side, and keeps of each what those before it lack."""

    def __init__(
        self,
        agents: Mapping[str, Agent],
        toolkit: Toolkit,
        goals: CoverGoals,
        pytest_args: Sequence[str],
    ) -> None:
        """Take who writes, by name, the maker first; copies of the tree lie in the scratch of `toolkit`."""
        self.name = next(iter(agents))
        self._agents, self._toolkit, self._goals = dict(agents), toolkit, goals
        self._args = tuple(pytest_args)
        self._folders: set[Path] = set()

    async def attempt(self, brief: Brief, observer: Observer) -> Attempt:
        """Let everybody write, then put the tests together; other roles are played by the first."""
        if brief.role is not Role.MAKER or not self._goals.paths or not brief.python:
            return await self._agents[self.name].attempt(brief, observer)
        began, started_at = time.monotonic(), datetime.now(UTC)
        calls = OwnCalls(brief.label, observer)
        engine = Engine(self._toolkit, brief, calls, self._goals, self._args)
        before = texts_of(engine.tree)
        reach = await engine.reach()
        folder = self._toolkit.scratch / f"cover-{Path(brief.workdir).name}"
        self._folders.add(folder)
        attempts = await self._all(brief, observer, folder)
        lines = [f"{name}: {each.text or each.stop}" for name, each in attempts.items()]
        taken = _put_together(engine.tree, before, {name: folder / name for name in attempts})
        lines += [f"{name}: {len(files)} files of tests were taken over." for name, files in taken.items()]
        if not isinstance(reach, Breakage) and any(taken.values()):
            order = [file for files in taken.values() for file in files]
            lines += await _held_together(engine, before, reach, order)
        return self._summed(attempts, lines, calls, started_at, time.monotonic() - began)

    async def close(self) -> None:
        """End what any of them keeps running."""
        for agent in self._agents.values():
            await agent.close()
        for folder in self._folders:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _all(self, brief: Brief, observer: Observer, folder: Path) -> dict[str, Attempt]:
        """Have everybody work at once; the money that is left is shared by all."""
        limits = brief.limits
        if limits.cost_usd is not None:
            limits = limits.model_copy(update={"cost_usd": limits.cost_usd / len(self._agents)})
        used: dict[str, Usage] = {}
        async with asyncio.TaskGroup() as tasks:
            running = {}
            for name, agent in self._agents.items():
                await asyncio.to_thread(_copy, Path(brief.workdir), folder / name)
                own = brief.model_copy(
                    update={
                        "workdir": str(folder / name),
                        "label": f"{brief.label}-{name}",
                        "session": f"{brief.session}:{name}",
                        "limits": limits,
                    }
                )
                running[name] = tasks.create_task(agent.attempt(own, _Sharing(name, observer, used)))
        return {name: task.result() for name, task in running.items()}

    def _summed(
        self,
        attempts: Mapping[str, Attempt],
        lines: Sequence[str],
        calls: OwnCalls,
        started_at: datetime,
        duration_s: float,
    ) -> Attempt:
        """Sum up: it is broken only where everybody broke."""
        able = [each for each in attempts.values() if each.breakage is None]
        told = able[0] if able else next(iter(attempts.values()))
        text = "\n".join(lines)
        log = [
            *calls.log,
            *(f"transcript {each.transcript}" for each in attempts.values() if each.transcript),
        ]
        halted = all(each.stop is Stop.CANCELLED for each in attempts.values())
        return told.model_copy(
            update={
                "agent": "+".join(attempts),
                "stop": Stop.CANCELLED if halted else Stop.END_TURN if able else Stop.BROKEN,
                "text": text,
                "usage": added([each.usage for each in attempts.values()]),
                "tool_calls": calls.made + sum(each.tool_calls for each in attempts.values()),
                "tool_errors": calls.errors + sum(each.tool_errors for each in attempts.values()),
                "started_at": started_at,
                "duration_s": duration_s,
                "transcript": self._toolkit.keep("\n".join([*log, text])),
            }
        )


class _Sharing:
    """Observes one of several; what all have used is told as one sum."""

    def __init__(self, name: str, observer: Observer, used: dict[str, Usage]) -> None:
        self._name, self._observer, self._used = name, observer, used

    def began(self, call: ToolCall) -> None:
        self._observer.began(call)

    def said(self, text: str) -> None:
        self._observer.said(text)

    def called(self, call: ToolCall) -> bool:
        return self._observer.called(call)

    def asked(self, call: ModelCall) -> None:
        self._observer.asked(call)

    def spent(self, usage: Usage) -> bool:
        self._used[self._name] = usage
        return self._observer.spent(added(list(self._used.values())))


async def _held_together(
    engine: Engine, before: Texts, reach: ReachResult, order: Sequence[str]
) -> list[str]:
    """Judge all new tests once more, now beside each other, and look at all tests together."""
    green = {test for test, outcome in reach.outcomes.items() if outcome == "passed"}
    old = frozenset(reach.outcomes)
    spans: dict[str, tuple[int, ...]] = {each.file: () for each in reach.files}
    sifted = await sift(engine, before, reach.files, green, spans, order)
    said, _ = await refine(engine, green, lambda test: test not in old, before)
    return [*sifted.lines, *said]


def _put_together(tree: Path, before: Texts, copies: Mapping[str, Path]) -> dict[str, list[str]]:
    """Take over files of tests that are new in the copies, and changes of old ones from who comes first."""
    changed: set[str] = set()
    taken: dict[str, list[str]] = {name: [] for name in copies}
    for name, copy in copies.items():
        for file in changed_since(copy, before):
            if file in before and file in changed:
                continue
            changed.add(file)
            target = tree / file
            if file not in before and target.exists():
                target = target.with_name(f"test_{target.stem.removeprefix('test_')}_{_word(name)}.py")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((copy / file).read_bytes())
            taken[name].append(target.relative_to(tree).as_posix())
    return taken


def _copy(tree: Path, target: Path) -> None:
    """Make a folder equal to a tree; the folder itself stays, for an agent may still live in it."""
    target.mkdir(parents=True, exist_ok=True)
    for each in target.iterdir():
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
    shutil.copytree(tree, target, symlinks=True, dirs_exist_ok=True)


def _word(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name)
