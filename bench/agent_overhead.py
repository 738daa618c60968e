"""Measure what driving an agent costs over the agent itself: the driver, and each means of holding it.

    python bench/agent_overhead.py [--rounds 15] [--real] [--json]

The bare agent is the same program, driven by a client of forty lines without supervisor, record or bounds.
All ways take turns in every round, so that a machine that slows down slows all of them; what is printed are
medians and their ratio to the bare agent. The scripted agent does next to nothing: the overhead at
its worst; `--real` adds the agents of `make test-agents` against a scripted model server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setpoint.agents.acp.agent import AcpAgent
from setpoint.agents.launch import Launch
from setpoint.agents.registry import known
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.model.attempt import AttemptLimits, Brief, Role, Stop
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.settings import CustomAgent
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import DEFAULT_KEEP, NETWORK_KEEP, clean_environment, trial
from setpoint.testing import SilentObserver
from setpoint.testing.model_server import Read, Say, Scenario, Write, scripted_model

ROOT = Path(__file__).resolve().parents[1]
CALLS, PROMPTS = 25, 4
"""Tool calls in a prompt, and prompts in a session, of the scripted agent."""
REAL = ("gemini", "opencode")
WAYS = ("bare", Means.NONE, Means.LANDLOCK, Means.BWRAP)
"""The agent alone; then with Setpoint's driver and nothing, or something, that holds it."""

Round = tuple[float, float]
"""Seconds from the start to the end of the first prompt, and of each further one on average."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """An agent that is measured."""

    name: str
    launch: Launch
    prompts: int


class Bare:
    """A client that does the least that can be done."""

    def __init__(self, launch: Launch, workdir: Path) -> None:
        environment = clean_environment(launch.environment, keep=DEFAULT_KEEP + NETWORK_KEEP)
        self.process = subprocess.Popen(
            list(launch.argv), cwd=workdir, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        self.number = 0
        self.asked("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        told = self.asked("session/new", {"cwd": str(workdir), "mcpServers": []})
        self.session = told["sessionId"]

    def prompt(self, text: str) -> None:
        """Send a prompt and read to its answer."""
        block = {"type": "text", "text": text}
        self.asked("session/prompt", {"sessionId": self.session, "prompt": [block]})

    def asked(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask, allow whatever is asked for meanwhile, and give the answer."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        if self.process.stdout is None:
            raise AssertionError("the agent has no output")
        for line in self.process.stdout:
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if told.get("method") == "session/request_permission":
                    options = told["params"]["options"]
                    option = next(one["optionId"] for one in options if one["kind"].startswith("allow"))
                    outcome = {"outcome": {"outcome": "selected", "optionId": option}}
                    self.send({"id": told["id"], "result": outcome})
                elif told.get("id") == self.number:
                    return dict(told["result"])
        raise SystemExit(f"the bare agent ended during {method}")

    def send(self, message: dict[str, Any]) -> None:
        """Write a message."""
        if self.process.stdin is None:
            raise AssertionError("the agent has no input")
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """End the agent."""
        os.killpg(self.process.pid, 9)
        self.process.wait()


def bare_round(subject: Subject, workdir: Path) -> Round:
    """Drive the agent by the bare client."""
    began = time.perf_counter()
    agent = Bare(subject.launch, workdir)
    agent.prompt("prompt 1")
    first = time.perf_counter() - began
    began = time.perf_counter()
    for number in range(1, subject.prompts):
        agent.prompt(f"prompt {number + 1}")
    further = (time.perf_counter() - began) / max(subject.prompts - 1, 1)
    agent.end()
    return first, further


async def driven_round(subject: Subject, workdir: Path, means: Means, folder: Path) -> Round:
    """Drive the agent as a run does; the trial of the means, once in a run, is not counted."""
    sandbox = Sandbox(SandboxSettings(agents=means))
    await sandbox.chosen(subject.launch)
    artifacts = Artifacts(folder / "artifacts")
    agent = AcpAgent(subject.launch, artifacts=artifacts, scratch=folder / "scratch", sandbox=sandbox)
    brief = Brief(
        role=Role.MAKER,
        session="bench",
        label="implement-1",
        prompt="prompt 1",
        workdir=str(workdir),
        story=Story(id=StoryId("bench"), title="Bench"),
        limits=AttemptLimits(wall_s=300, idle_s=300),
    )
    seconds = []
    for _ in range(subject.prompts):
        began = time.perf_counter()
        attempt = await agent.attempt(brief, SilentObserver())
        seconds.append(time.perf_counter() - began)
        if attempt.stop is not Stop.END_TURN:
            raise SystemExit(f"the bench is wrong: {subject.name} {attempt.stop}: {attempt.breakage}")
    await agent.close()
    return seconds[0], statistics.fmean(seconds[1:] or [0.0])


def scripted(folder: Path) -> Subject:
    """Give the scripted agent, with some calls and a change in each prompt."""
    call = {"call": {"name": "look", "kind": "read", "ok": True, "input": {"path": "a"}}, "times": CALLS}
    prompts = [[call, {"write": "made.txt", "text": str(number)}] for number in range(PROMPTS)]
    script = folder / "script.json"
    script.write_text(json.dumps({"prompts": prompts}), "utf-8")
    argv = (sys.executable, "-m", "setpoint.agents.scripted", str(script))
    return Subject(name="scripted", launch=Launch(name="scripted", argv=argv), prompts=PROMPTS)


@contextlib.contextmanager
def real(name: str, folder: Path) -> Iterator[Subject]:
    """Give a real agent that asks a scripted model for one change."""
    sys.path.insert(0, str(ROOT / "tests"))
    from real_agents.conftest import RealAgent  # noqa: PLC0415 - they belong to the tests

    home = folder / "home"
    home.mkdir(exist_ok=True)
    steps = (Read(read="calc.py"), Write(write="calc.py", text="x = 2\n"), Say(say="Done."))
    with scripted_model(Scenario(steps=steps)) as model:
        own = CustomAgent(environment=RealAgent(name, home).environment(model.url))
        yield Subject(name=name, launch=known({name: own})[name], prompts=1)


def measured(subject: Subject, folder: Path, ways: list[str], rounds: int) -> dict[str, Any]:
    """Give medians in milliseconds for each way, and their ratio to the bare agent."""
    taken: dict[str, list[Round]] = {way: [] for way in ways}
    for number in range(rounds + 1):
        for way in ways:
            workdir = folder / f"{subject.name}-{number}-{way}"
            workdir.mkdir()
            (workdir / "calc.py").write_text("x = 1\n", "utf-8")
            if way == "bare":
                seconds = bare_round(subject, workdir)
            else:
                seconds = asyncio.run(driven_round(subject, workdir, Means(way), folder))
            if number:  # the first round fills the caches of the disk
                taken[way].append(seconds)
    figures: dict[str, Any] = {}
    parts: list[tuple[str, Callable[[Round], float]]] = [("first prompt", lambda each: each[0])]
    if subject.prompts > 1:
        parts.append(("further prompt", lambda each: each[1]))
    for part, of in parts:
        medians = {way: statistics.median(of(each) for each in taken[way]) for way in ways}
        for way in ways:
            name = "bare" if way == "bare" else f"driver, held by {way}"
            figures[f"{part}: {name} ms"] = round(medians[way] * 1000, 1)
            figures[f"{part}: {name} ratio"] = round(medians[way] / medians["bare"], 3)
    return figures


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="rounds to take the median of")
    parser.add_argument("--real", action="store_true", help="measure installed real agents, too")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    tried = {means: asyncio.run(trial(means)) for means in (Means.LANDLOCK, Means.BWRAP)}
    ways = [str(way) for way in WAYS if way not in tried or tried[Means(way)].works]
    found: dict[str, Any] = {
        f"{means} left out": each.why_not for means, each in tried.items() if each.why_not
    }
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as name:
        folder = Path(name)
        found["scripted"] = measured(scripted(folder), folder, ways, given.rounds)
        for agent in REAL if given.real else ():
            if not (ROOT / ".agents" / "node_modules" / ".bin" / agent).exists():
                found[agent] = "not installed: make test-agents"
                continue
            with real(agent, folder) as subject:
                found[agent] = measured(subject, folder, ways, max(given.rounds // 3, 1))
    if given.json:
        print(json.dumps(found, indent=2))
        return 0
    for agent, figures in found.items():
        print(f"\n{agent}" if isinstance(figures, dict) else f"{agent}: {figures}")
        for figure, value in figures.items() if isinstance(figures, dict) else ():
            print(f"{value:10}  {figure}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
