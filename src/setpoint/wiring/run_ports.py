"""The composition root proper: settings become objects here; nowhere else is every adapter known."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial

from setpoint.checks.measurement import CheckListener
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.history.reports.run_report import scratchpad, write_all
from setpoint.model.attempt import Role
from setpoint.model.events.live import ProofStep
from setpoint.model.proof import Obligation
from setpoint.model.run import RunOrder
from setpoint.phase.candidates import PREFIX
from setpoint.pipelines import render
from setpoint.ports import Agent, Durable, EventLog, Measured, RunPorts
from setpoint.wiring.agents import agents_of, prompt_folder
from setpoint.wiring.memory import memory_of
from setpoint.wiring.ordered_settings import ordered_settings
from setpoint.wiring.plugins import extensions_of, forge_by, memory_by
from setpoint.wiring.project import Project
from setpoint.wiring.reviewing import reviewing_of
from setpoint.wiring.sandboxed_checks import HeldEvaluator, readable
from setpoint.wiring.test_writers import writers
from setpoint.wiring.workbench import AgentsWorkbench
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.shared_repository import SharedForge, SharedWorkspace
from setpoint.workspace.work_copy import GitWorkspace


class SystemClock:
    """The real time."""

    def now(self) -> datetime:
        """Return the present, aware, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def _stepped(log: EventLog, ordered: RunOrder, measured: Measured, step: Obligation) -> None:
    key = f"proof-step:{measured.tree}:{measured.stage}:{step.name}"
    log.append(ordered.trace_id, key, (ProofStep(obligation=step),))


def run_ports_of(
    project: Project, ordered: RunOrder, durable: Durable, log: EventLog, told: CheckListener
) -> RunPorts:
    """Return everything that a run needs from outside, made from the settings it was ordered with."""
    settings = ordered_settings(ordered)
    made: dict[str, Agent] = {}
    agents = agents_of(project, settings)
    for role, name in ordered.agents.items():
        # Reviewers and candidates work at the same time, so each has an agent, and a session, of its own.
        alone = role if role.startswith((f"{Role.REVIEWER}:", PREFIX)) else name
        if alone not in made:
            made[alone] = agents.make(name)
            if settings.cover.only_tests and (name == ordered.agents[Role.MAKER] or role.startswith(PREFIX)):
                made[alone] = writers(name, agents, project, settings)
    evaluator = ProjectEvaluator(settings, project.artifacts, project.folders, told, partial(_stepped, log))
    shared = project.shared(ordered.trace_id)
    workspace = SharedWorkspace(project.folders, shared) if shared else GitWorkspace(project.folders)
    own = GitBranchForge(project.root, settings.delivery)
    folder = project.run_folder(ordered.trace_id)
    extensions = extensions_of(ordered)
    return RunPorts(
        agents={role: made[role if role in made else name] for role, name in ordered.agents.items()},
        workspace=workspace,
        forge=forge_by(extensions, project.root)
        or (SharedForge(own, shared, settings.branch_prefix) if shared else own),
        evaluator=HeldEvaluator(evaluator, project, settings),
        workbench=AgentsWorkbench(evaluator, workspace, project, settings),
        log=log,
        durable=durable,
        clock=SystemClock(),
        keep=project.artifacts.keep,
        read=project.artifacts.read,
        kept_at=project.artifacts.kept_at,
        render=partial(render, overrides=prompt_folder(project.root)),
        publish=lambda trace_id: write_all(folder, project.log.replay(trace_id), *project.readers(trace_id)),
        folder=str(folder),
        scratchpad=lambda trace_id: scratchpad(project.log.replay(trace_id)),
        attended=project.attended,
        reviewing=reviewing_of(project, settings, agents),
        memory=memory_by(extensions, project.state) or memory_of(project),
        guards=extensions.guards,
        policies=extensions.policies,
        hide=project.artifacts.hide,
        readable=partial(readable, settings, agents),
    )
