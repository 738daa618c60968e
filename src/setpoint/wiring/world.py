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
from setpoint.domain.attempt import Role
from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.events import IterationEvaluated, RunFinished, RunResumed, RunStarted
from setpoint.domain.ids import TraceId
from setpoint.domain.run import RunOrder, RunOutcome
from setpoint.durable.dbos import DbosEngine
from setpoint.errors import UsageError
from setpoint.evaluators import ProjectEvaluator, Told
from setpoint.events.report import write_all
from setpoint.loops import phase, verifying
from setpoint.pipelines import render
from setpoint.ports import Agent, Durable, World
from setpoint.processes.git import commit_of, tree_of
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


def _world(project: Project, ordered: RunOrder, durable: Durable, told: Told) -> World:
    settings = Settings.model_validate_json(ordered.settings)
    made: dict[str, Agent] = {}
    outside = outside_agents(project)
    for role, name in ordered.agents.items():
        # Reviewers work at the same time, so each kind has an agent, and a session, of its own.
        alone = role if role.startswith(f"{Role.REVIEWER}:") else name
        if alone not in made:
            made[alone] = _agent(name, outside, project)
    folder = project.run_folder(ordered.trace_id)
    return World(
        agents={role: made[role if role in made else name] for role, name in ordered.agents.items()},
        workspace=GitWorkspace(project.root, project.state),
        forge=GitBranchForge(project.root),
        evaluator=ProjectEvaluator(settings, project.artifacts, project.state, told),
        log=project.log,
        durable=durable,
        clock=SystemClock(),
        keep=project.artifacts.keep,
        render=partial(render, overrides=prompt_folder(project.root)),
        publish=lambda trace_id: write_all(folder, project.log.replay(trace_id), project.artifacts.read),
        folder=str(folder),
    )


def _agent(name: str, outside: Agents, project: Project) -> Agent:
    if name == RulesAgent.name:
        return RulesAgent()
    if name == MechanicAgent.name:
        return MechanicAgent(project.artifacts)
    return outside.make(name)


def prompt_folder(root: Path) -> Path | None:
    """Name the folder of a project's own prompt templates, where it has one."""
    folder = root / "setpoint-prompts"
    return folder if folder.is_dir() else None


def drive(project: Project, ordered: RunOrder, told: Told = lambda *_: None) -> RunOutcome:
    """Drive a run to its end in this process; a run that another process left goes on where it was.

    `told` is given each check's result as soon as it is known, before the checks beside it are done.
    """

    async def run(order: RunOrder, durable: Durable) -> RunOutcome:
        # Here the run's lock is held, so a resumption that was refused leaves no trace.
        if project.log.replay(order.trace_id):
            key = f"resumed:{datetime.now(UTC).isoformat()}:{os.getpid()}"
            project.log.append(order.trace_id, key, (RunResumed(process=os.getpid()),))
        return await phase.drive(order, _world(project, order, durable, told), durable)

    return asyncio.run(DbosEngine(project.state).drive(ordered, run))


def measure(
    project: Project, told: Told = lambda *_: None, *, fast: bool = False, fresh: bool = False
) -> Evaluation:
    """Measure the user's tree as it stands, uncommitted changes included.

    With `fast` of the tests only those that what has changed since the last whole run can reach; with `fresh`
    nothing is taken from a cache. `told` is given each check's result as soon as it is known.
    """
    evaluator = ProjectEvaluator(project.settings, project.artifacts, project.state, told)
    return asyncio.run(evaluator.measure_tree(project.root, fast=fast, fresh=fresh))


def verify(project: Project, trace_id: TraceId) -> tuple[verifying.Compared, ...]:
    """Run the evidence of a finished run again and compare."""
    events = project.log.replay(trace_id)
    last, first = events[-1].body, events[0].body
    if not isinstance(last, RunFinished) or not isinstance(first, RunStarted):
        message = f"{trace_id} is not finished"
        raise UsageError(message, mend=f"setpoint resume {trace_id}")
    full = [event.body.evaluation for event in events if isinstance(event.body, IterationEvaluated)]
    recorded = [
        each for each in full if each.commit == last.outcome.best and each.stage is not Stage.EVALUATE
    ]
    if not recorded:
        message = f"{trace_id} delivered nothing that was measured in full"
        raise UsageError(message, mend="there is nothing to verify; `setpoint show` tells what happened")
    return asyncio.run(_verified(project, first.order, last.outcome, recorded[-1]))


async def _verified(
    project: Project, ordered: RunOrder, outcome: RunOutcome, recorded: Evaluation
) -> tuple[verifying.Compared, ...]:
    settings = Settings.model_validate_json(ordered.settings)
    workspace = GitWorkspace(project.root, project.state)
    evaluator = ProjectEvaluator(settings, project.artifacts, project.state)
    compared = await verifying.verify(ordered, recorded, workspace, evaluator)
    if not outcome.branch:
        return compared
    commit = await commit_of(project.root, outcome.branch)
    now = await tree_of(project.root, commit) if commit else None
    return (verifying.branch_compared(recorded.tree, now), *compared)
