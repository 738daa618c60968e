"""The composition root proper: settings become objects here; nowhere else is every adapter known."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from setpoint.agents.choice import Agents
from setpoint.agents.confined import Sandbox
from setpoint.agents.generator import GeneratorAgent
from setpoint.agents.mechanic import MechanicAgent
from setpoint.agents.prices import Prices
from setpoint.agents.registry import known
from setpoint.agents.rules import RulesAgent
from setpoint.domain.attempt import Role
from setpoint.domain.evaluation import Evaluation
from setpoint.domain.events import Body, RunResumed
from setpoint.domain.ids import Artifact
from setpoint.domain.run import RunOrder, RunOutcome
from setpoint.durable.dbos import DbosEngine
from setpoint.errors import RecordedDataError, RunCancelled
from setpoint.evaluators import ProjectEvaluator, Told
from setpoint.evaluators.caches import forget, trim
from setpoint.evaluators.discovery.interpreter import environments, own_code
from setpoint.events.replay import history
from setpoint.events.report import write_all
from setpoint.loops import phase
from setpoint.loops.asking import waiting
from setpoint.loops.candidates import PREFIX
from setpoint.pipelines import render
from setpoint.ports import Agent, Durable, EventLog, World
from setpoint.settings import Settings
from setpoint.wiring.measuring.shielded import ShieldedEvaluator
from setpoint.wiring.measuring.watching import measured_now
from setpoint.wiring.memory import memory_of
from setpoint.wiring.project import Project
from setpoint.wiring.runs.board import shelf
from setpoint.wiring.runs.scribe import HeardLog, Scribe
from setpoint.wiring.runs.writers import writers
from setpoint.wiring.shown.exporting import send_finished
from setpoint.wiring.shown.metering import store_due_metrics
from setpoint.workspace import GitBranchForge, GitWorkspace

_LOG = logging.getLogger(__name__)


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
        known(project.settings.agent, proxied=project.settings.agents.proxy),
        artifacts=project.artifacts,
        scratch=project.state / "scratch",
        prices=Prices(project.settings.price),
        sandbox=sandbox(project),
    )


def sandbox(project: Project) -> Sandbox:
    """Make what holds the agents of a project."""
    code = (*own_code(), *environments(project.root, project.settings.checks))
    return Sandbox(project.settings.sandbox, protected=(project.root, project.state), code=code)


def _world(project: Project, ordered: RunOrder, durable: Durable, log: EventLog, told: Told) -> World:
    settings = Settings.model_validate_json(ordered.settings)
    made: dict[str, Agent] = {}
    outside = outside_agents(project)
    make = partial(_agent, outside=outside, project=project, settings=settings)
    for role, name in ordered.agents.items():
        # Reviewers and candidates work at the same time, so each has an agent, and a session, of its own.
        alone = role if role.startswith((f"{Role.REVIEWER}:", PREFIX)) else name
        if alone not in made:
            made[alone] = make(name)
            if settings.cover.only_tests and (name == ordered.agents[Role.MAKER] or role.startswith(PREFIX)):
                made[alone] = writers(name, make, project, settings, prompt_folder(project.root))
    folder = project.run_folder(ordered.trace_id)
    return World(
        agents={role: made[role if role in made else name] for role, name in ordered.agents.items()},
        workspace=GitWorkspace(project.root, project.state),
        forge=GitBranchForge(project.root),
        evaluator=ShieldedEvaluator(
            ProjectEvaluator(settings, project.artifacts, project.state, told), project, settings
        ),
        log=log,
        durable=durable,
        clock=SystemClock(),
        keep=project.artifacts.keep,
        place_of=lambda artifact: str(project.artifacts.path(Artifact(artifact))),
        render=partial(render, overrides=prompt_folder(project.root)),
        publish=lambda trace_id: write_all(folder, project.log.replay(trace_id), project.artifacts.read),
        folder=str(folder),
        memory=memory_of(project, ordered.memory),
    )


def _agent(name: str, outside: Agents, project: Project, settings: Settings) -> Agent:
    if name == GeneratorAgent.name:
        return GeneratorAgent(project.artifacts, settings.cover, settings.checks.pytest_args)
    if name == RulesAgent.name:
        return RulesAgent()
    if name == MechanicAgent.name:
        words = settings.checks.pytest_args
        return MechanicAgent(project.artifacts, pytest_args=words, fixers=settings.agents.fixers)
    return outside.make(name)


def prompt_folder(root: Path) -> Path | None:
    """Name the folder of a project's own prompt templates, where it has one."""
    folder = root / "setpoint-prompts"
    return folder if folder.is_dir() else None


def _unheard(_body: Body) -> None:
    pass


def drive(
    project: Project,
    ordered: RunOrder,
    before: Callable[[Body], None] = _unheard,
    told: Told = lambda *_: None,
) -> RunOutcome:
    """Drive a run to its end in this process; a run that another process left goes on where it was.

    `before` is told what is about to be recorded; what it raises leaves the run as it is, to be resumed.
    `told` is given each check's result as soon as it is known, before the checks beside it are done.

    Raises `RunWaiting` where a person has to answer first. A run that a person cancels meanwhile is driven
    once more, to its end with the best state.
    """
    events = project.log.replay(ordered.trace_id)
    gate = history(events).waiting if events else None
    if gate is not None and not gate.expired(datetime.now(UTC)):
        raise waiting(ordered.trace_id, gate)
    try:
        outcome = _driven(project, ordered, before, told)
    except RunCancelled:
        if history(project.log.replay(ordered.trace_id)).cancel is None:
            raise
        outcome = _driven(project, ordered, before, told)
    try:
        store_due_metrics(project)
    except RecordedDataError as error:  # an older run's record is damaged: this run's outcome stands
        _LOG.warning("the metrics of days that are over were not stored: %s", error)
    send_finished(project, ordered.trace_id)
    forget(project.state, ordered.trace_id)
    trim(project.state)
    return outcome


def _driven(project: Project, ordered: RunOrder, before: Callable[[Body], None], told: Told) -> RunOutcome:
    async def run(order: RunOrder, durable: Durable) -> RunOutcome:
        events = project.log.replay(order.trace_id)
        scribe = Scribe(shelf(project), order, events)
        log = HeardLog(project.log, before, scribe.take, events[-1].seq if events else 0)
        # Here the run's lock is held, so a resumption that was refused leaves no trace.
        if events:
            key = f"resumed:{datetime.now(UTC).isoformat()}:{os.getpid()}"
            log.append(order.trace_id, key, (RunResumed(process=os.getpid()),))
        return await phase.drive(order, _world(project, order, durable, log, told), durable)

    return asyncio.run(DbosEngine(project.state).drive(ordered, run))


def measure(
    project: Project, told: Told = lambda *_: None, *, fast: bool = False, fresh: bool = False
) -> Evaluation:
    """Measure the user's tree as it stands, uncommitted changes included.

    With `fast` of the tests only those that what has changed since the last whole run can reach; with `fresh`
    nothing is taken from a cache. `told` is given each check's result as soon as it is known.
    """
    return asyncio.run(measured_now(project, told, fast=fast, fresh=fresh))
