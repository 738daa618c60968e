"""The composition root proper: settings become objects here; nowhere else is every adapter known."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from setpoint.agents.choice import Agents
from setpoint.agents.mechanic import MechanicAgent
from setpoint.agents.registry import known
from setpoint.agents.rules import RulesAgent
from setpoint.domain.evaluation import Evaluation
from setpoint.domain.events import RunResumed
from setpoint.domain.run import RunOrder, RunOutcome
from setpoint.durable.dbos import DbosEngine
from setpoint.evaluators import ProjectEvaluator
from setpoint.events.report import write_all
from setpoint.loops import phase
from setpoint.pipelines import render
from setpoint.ports import Agent, Durable, World
from setpoint.settings import Settings
from setpoint.wiring.project import Project
from setpoint.workspace import GitBranchForge, GitWorkspace


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        """Give the present, aware, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def outside_agents(project: Project) -> Agents:
    """Make the maker of agents that run as programs of their own."""
    return Agents(
        known(project.settings.agent), artifacts=project.artifacts, scratch=project.state / "scratch"
    )


def _world(project: Project, ordered: RunOrder, durable: Durable) -> World:
    settings = Settings.model_validate_json(ordered.settings)
    made: dict[str, Agent] = {}
    outside = outside_agents(project)
    for name in dict.fromkeys(ordered.agents.values()):
        made[name] = _agent(name, outside, project)
    folder = project.run_folder(ordered.trace_id)
    return World(
        agents={role: made[name] for role, name in ordered.agents.items()},
        workspace=GitWorkspace(project.root, project.state),
        forge=GitBranchForge(project.root),
        evaluator=ProjectEvaluator(settings, project.artifacts, project.state),
        log=project.log,
        durable=durable,
        clock=SystemClock(),
        keep=project.artifacts.keep,
        render=partial(render, overrides=_overrides(project.root)),
        publish=lambda trace_id: write_all(folder, project.log.replay(trace_id), project.artifacts.read),
        folder=str(folder),
    )


def _agent(name: str, outside: Agents, project: Project) -> Agent:
    if name == RulesAgent.name:
        return RulesAgent()
    if name == MechanicAgent.name:
        return MechanicAgent(project.artifacts)
    return outside.make(name)


def _overrides(root: Path) -> Path | None:
    folder = root / "setpoint-prompts"
    return folder if folder.is_dir() else None


def drive(project: Project, ordered: RunOrder) -> RunOutcome:
    """Drive a run to its end in this process; a run that another process left goes on where it was."""

    async def run(order: RunOrder, durable: Durable) -> RunOutcome:
        # Here the run's lock is held, so a resumption that was refused leaves no trace.
        if project.log.replay(order.trace_id):
            key = f"resumed:{datetime.now(UTC).isoformat()}:{os.getpid()}"
            project.log.append(order.trace_id, key, (RunResumed(process=os.getpid()),))
        return await phase.drive(order, _world(project, order, durable), durable)

    return asyncio.run(DbosEngine(project.state).drive(ordered, run))


def measure(project: Project) -> Evaluation:
    """Measure the user's tree as it stands, uncommitted changes included."""
    evaluator = ProjectEvaluator(project.settings, project.artifacts, project.state)
    return asyncio.run(evaluator.measure_tree(project.root))
