"""What is there and what is missing: the rows of `setpoint agents` and `setpoint doctor`."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from setpoint.agents.launch import Launch
from setpoint.agents.login import login_state, seen_of
from setpoint.agents.probing import probe
from setpoint.agents.registry import known
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.checks import Surveyor
from setpoint.checks.discovery.own_commands.command import OwnCommand
from setpoint.checks.discovery.toolchains import Toolchain
from setpoint.errors import SandboxUnavailable
from setpoint.learning.store.embedding import MODEL, missing
from setpoint.model.config.sandbox import Means
from setpoint.model.evidence import NO_SUITE, SUITES
from setpoint.system.git.git import commit_of, head
from setpoint.system.processes import Hold, holding
from setpoint.version import __version__
from setpoint.wiring.agents import sandbox
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import hold_of, sandbox_in_words, sandbox_of_checks
from setpoint.wiring.tool_servers import tool_servers

_MOST_SCRIPT = 120
"""Characters of a command that are shown."""


class AgentRow(NamedTuple):
    """One line of `setpoint agents`."""

    name: str
    installed: bool
    version: str
    protocol: str
    login: str
    """Evidence of a login, from variables and files only; `agents test` shows whether it works."""
    tells: str
    """What can be seen of its work besides the change itself."""
    note: str
    sandbox: str = ""
    """What would hold it; empty: it is part of Setpoint, or cannot be held as the settings ask."""
    reads: tuple[str, ...] = ()
    """Files and folders of a project with instructions or skills that it reads by itself."""


class Diagnosis(NamedTuple):
    """One line of `setpoint doctor`."""

    name: str
    ok: bool
    detail: str
    """The result, or how to fix it."""
    needed: bool = False
    """Whether a run cannot begin without it."""


def agent_rows(project: Project) -> Sequence[AgentRow]:
    """Return every known agent with what is known of it without starting it."""
    return asyncio.run(_agent_rows(project))


def diagnose(project: Project) -> Sequence[Diagnosis]:
    """Look at everything a run needs or can use."""
    return asyncio.run(_diagnosis(project))


async def _agent_rows(project: Project) -> list[AgentRow]:
    launches = known(project.settings.agent)
    held = sandbox(project)
    probes = await asyncio.gather(*(probe(launch) for launch in launches.values()))
    held_by = [await _held_by(held, launch) for launch in launches.values()]
    built_in = {
        "generator": "writes tests for `setpoint cover`; needs no key",
        "mechanic": "fixes failing tests and lint findings; needs no key",
        "rules": "researcher, planner and reviewer by rule; needs no key",
    }
    return [
        *(
            AgentRow(
                launch.name,
                found.installed,
                found.version,
                launch.protocol,
                login_state(launch) if found.installed else "",
                seen_of(launch),
                found.why_not or launch.login,
                by,
                (*launch.reads.files, *launch.reads.otherwise, *launch.reads.skills),
            )
            for launch, found, by in zip(launches.values(), probes, held_by, strict=True)
        ),
        *(
            AgentRow(
                name=name,
                installed=True,
                version=__version__,
                protocol="built in",
                login="not needed",
                tells="calls, names",
                note=note,
            )
            for name, note in built_in.items()
        ),
    ]


async def _held_by(held: Sandbox, launch: Launch) -> str:
    if launch.protocol == "model":
        return ""  # it has no process
    try:
        chosen = await held.chosen(launch)
    except SandboxUnavailable:
        return ""
    return str(chosen.means) if chosen else "none"


async def _sandbox_row(project: Project) -> Diagnosis:
    """Say what holds agents, and of each other means why it does not."""
    held = sandbox(project)
    usable = [each for each in await held.trials() if each.works]
    others = [f"{each.means}: {each.why_not}" for each in await held.trials() if not each.works]
    wanted = project.settings.sandbox.agents
    if wanted is Means.NONE:
        return Diagnosis("sandbox", ok=False, detail="none, by setting: agents can write wherever you can")
    if wanted is not Means.AUTO and wanted not in [each.means for each in usable]:
        return Diagnosis(
            "sandbox", ok=False, needed=True, detail=f"{wanted} is asked for; {'; '.join(others)}"
        )
    if not usable:
        told = f"none works here, so agents can write wherever you can; {'; '.join(others)}"
        return Diagnosis("sandbox", ok=False, detail=told)
    chosen = next(each for each in usable if wanted in (Means.AUTO, each.means))
    spare = [f"{each.words} would work, too" for each in usable if each is not chosen]
    return Diagnosis("sandbox", ok=True, detail="; ".join((chosen.words, *spare, *others)))


async def _hold(project: Project) -> Hold | None:
    """Make what holds checks; none where it does not work here, which a row of its own says."""
    try:
        return await hold_of(project, project.settings)
    except SandboxUnavailable:
        return None


async def _checks_row(project: Project) -> Diagnosis:
    """Say what holds checks, or why nothing does."""
    try:
        found = await sandbox_of_checks(project.settings)
    except SandboxUnavailable as error:
        return Diagnosis("sandbox of checks", ok=False, needed=True, detail=error.message)
    told = await sandbox_in_words(project.settings)
    return Diagnosis("sandbox of checks", ok=found is not None, detail=told)


async def _servers_row(project: Project) -> list[Diagnosis]:
    """Name the servers of tools that no agent gets since nobody approved them."""
    found = await tool_servers(str(project.root), project.root, await head(project.root))
    names = [f"{each.name} ({each.source})" for each in found.refused]
    if not names:
        return []
    told = f"not approved, so no agent gets them: {', '.join(names)}; see setpoint agents mcp"
    return [Diagnosis("tool servers", ok=False, detail=told)]


def _memory_row(project: Project) -> Diagnosis:
    """Say by what learnings are found."""
    lacks = missing()
    if not project.settings.memory.semantic:
        return Diagnosis("memory", ok=True, detail="learnings are found by their words, by setting")
    if lacks:
        told = "learnings are found by their words; by meaning too with: pip install 'setpoint[semantic]'"
        return Diagnosis("memory", ok=False, detail=told)
    return Diagnosis("memory", ok=True, detail=f"learnings are found by their words and by meaning ({MODEL})")


def _copies_row(copies: Path) -> Diagnosis:
    """Say where the copies of the tree lie, and how much room they take."""
    size = 0
    for folder, _, names in os.walk(copies):
        for name in names:
            with contextlib.suppress(FileNotFoundError):  # a run is under way
                size += (Path(folder) / name).lstat().st_size
    told = f"{size / 1e6:.1f} MB; you can delete the folder when no run is working"
    return Diagnosis("copies", ok=os.access(copies, os.W_OK), needed=True, detail=f"{copies}: {told}")


async def _tool_rows(project: Project) -> list[Diagnosis]:
    """Say with what the last commit would be built and measured."""
    with holding(await _hold(project)):
        tools = await Surveyor(project.settings, project.artifacts, project.folders).survey(project.root)
    rows = [_toolchain_row(each) for each in tools.toolchains]
    if tools.for_python:
        found = tools.python or "none found: set checks.python"
        rows.insert(0, Diagnosis("python", ok=bool(tools.python), detail=found))
    rows += [Diagnosis(f"package {folder}", ok=True, detail=said) for folder, said in tools.packages]
    for name, reason in tools.checks.items():
        hint = tools.missing.get(name, "")
        rows.append(Diagnosis(name, ok=not hint, detail=f"{reason}; {hint}" if hint else reason))
    rows += map(_command_row, tools.own)
    rows += [Diagnosis("not read", ok=False, detail=each) for each in tools.unread]
    rows += [
        Diagnosis(name, ok=False, detail=f"not used: {reason}; to use it, set checks.{name} = true")
        for name, reason in tools.suggested.items()
    ]
    if not {*SUITES, NO_SUITE} & set(tools.checks):
        rows.append(Diagnosis("tests", ok=False, detail="none found: a story then needs --accept commands"))
    return rows


def _command_row(own: OwnCommand) -> Diagnosis:
    """Say what the project's people type, and where Setpoint never runs it."""
    refused = f"; Setpoint never runs it: {own.excluded}" if own.excluded else ""
    at = f" in {own.folder}" if own.folder else ""
    script = own.script if len(own.script) <= _MOST_SCRIPT else f"{own.script[:_MOST_SCRIPT]}..."
    return Diagnosis(f"command {own.kind}", ok=True, detail=f"{own.reason}{at}: {script}{refused}")


def _toolchain_row(found: Toolchain) -> Diagnosis:
    """Say which version builds the project, or why it does not."""
    detail = "; ".join(each for each in (found.version, found.problem) if each)
    needed = found.needed and bool(found.problem)
    return Diagnosis(found.name, ok=not found.problem, detail=detail, needed=needed)


async def _diagnosis(project: Project) -> list[Diagnosis]:
    commit = await commit_of(project.root, "HEAD")
    writable = os.access(project.state, os.W_OK)
    rows = [
        Diagnosis("repository", ok=True, needed=True, detail=str(project.root)),
        Diagnosis(
            "commit",
            ok=commit is not None,
            needed=True,
            detail=str(commit or "none yet: git add -A && git commit"),
        ),
        Diagnosis("state", ok=writable, needed=True, detail=str(project.state)),
        await asyncio.to_thread(_copies_row, project.copies),
    ]
    rows += [Diagnosis("settings", ok=False, detail=each) for each in project.settings.integrity.notices]
    rows += await _tool_rows(project) if commit is not None else []
    rows += [await _sandbox_row(project), await _checks_row(project), _memory_row(project)]
    rows += await _servers_row(project) if commit is not None else []
    for row in await _agent_rows(project):
        rows.append(
            Diagnosis(
                f"agent {row.name}", ok=row.installed, detail=row.version if row.installed else row.note
            )
        )
    return rows
