"""Begin the first prompt of a session with what the project says to agents and this one does not read."""

from __future__ import annotations

from setpoint.inner.policy.served_tools import served
from setpoint.inner.policy.unread_text import unread
from setpoint.inner.tool_calls import Place
from setpoint.model.attempt import Brief
from setpoint.model.events.live import ProjectTextShown
from setpoint.ports import Agent
from setpoint.ports.agent import ReadsProject
from setpoint.runs.context import RunContext


async def informed(run: RunContext, agent: Agent, brief: Brief, place: Place) -> Brief:
    """Return a brief with what the project has for agents: its instructions, and approved servers of tools.

    The prompt holds the instructions, once for each session. They are those of the base commit, whatever the
    maker wrote since. An agent that takes nothing from a project, such as one that works by rule, gets none.
    """
    bench = run.ports.workbench
    if bench is None or not isinstance(agent, ReadsProject):
        return brief
    serving = served(await bench.tool_servers(run.copy), agent.reads, takes=agent.takes_servers)
    begins = agent.begins(brief)
    brief = brief.model_copy(update={"tool_servers": serving.given})
    if not begins:
        return brief
    given = unread(await bench.project_text(run.copy), agent.reads)
    body = ProjectTextShown(
        label=place.label,
        role=brief.role,
        agent=agent.name,
        files=tuple(each.path for each in given.files),
        skills=tuple(each.path for each in given.skills),
        read=given.read,
        servers=serving.usable,
        left_out=serving.left_out,
    )
    if given.files or given.nested or given.skills or given.read or serving.usable or serving.left_out:
        run.journal.note(f"{brief.session}:{place.label}:project-text", body)
    if not (given.files or given.nested or given.skills):
        return brief
    said = run.ports.render("project.md.j2", {"project": given})
    return brief.model_copy(update={"prompt": f"{said}\n{brief.prompt}"})
