"""What is there and what is missing: the rows of `setpoint agents` and `setpoint doctor`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from setpoint.agents.launch import Launch
from setpoint.agents.login import NO_LOGIN, login_state, seen_of
from setpoint.agents.probing import environment_of, probe
from setpoint.agents.registry import known, shipped
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.agents.selection import Agents
from setpoint.app.project.database import record_rows
from setpoint.app.project.diagnosis import Diagnosis
from setpoint.app.project.upkeep import kept
from setpoint.app.runs.story_files import check_stories
from setpoint.checks.collecting import Collected, collect, commands_that_cannot_start
from setpoint.checks.discovery.own_commands.command import OwnCommand
from setpoint.checks.discovery.project import Project as Found
from setpoint.checks.discovery.tool_start import start_fault
from setpoint.checks.discovery.toolchains import Toolchain
from setpoint.checks.discovery.unstartable import unstartable
from setpoint.checks.survey import Surveyor
from setpoint.errors import SandboxUnavailable, SetpointError
from setpoint.model.config.sandbox import Means
from setpoint.model.evidence import NO_SUITE, SUITES
from setpoint.model.ids import Commit
from setpoint.ports import Measured
from setpoint.system.git.git import commit_of
from setpoint.system.processes import Command, Hold, clean_environment, holding, run
from setpoint.version import __version__
from setpoint.wiring.agents import agents_of, sandbox
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import hold_of, sandbox_in_words, sandbox_of_checks
from setpoint.wiring.tool_servers import tool_servers

_AGENT_S = 12.0
"""Seconds within which an agent has to start."""
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


async def _tried_agents(project: Project) -> list[Diagnosis]:
    """Start every agent that is installed as a run would, without a request; name the others in one row."""
    launches, agents, terms = known(project.settings.agent), agents_of(project), project.settings.agents
    roles = (terms.maker, terms.reviewer, terms.planner, terms.researcher, terms.tester, terms.test_designer)
    asked = {*roles, terms.reflector, *terms.candidates, *terms.reviewers.values()} - {
        "",
        "auto",
        "maker",
        "rules",
    }
    there = {row.name: row for row in await _agent_rows(project) if row.name in launches and row.installed}
    tried = sorted({*there, *asked})
    faults = await asyncio.gather(*(_fault_of_agent(project, agents, name, launches) for name in tried))
    found = [
        _agent_row(launches.get(name), there.get(name), name, fault, needed=name in asked)
        for name, fault in zip(tried, faults, strict=True)
    ]
    absent = ", ".join(name for name in launches if name not in tried)
    if any(each.ok for each in found) or not absent:
        return [*found, Diagnosis("agents", ok=True, detail=f"known, not installed: {absent or 'none'}")]
    told = f"none works, so only failing tests and lint findings can be repaired (mechanic); known: {absent}"
    return [*found, Diagnosis("agents", ok=False, detail=f"{told}; hint: setpoint agents setup claude")]


def _agent_row(
    launch: Launch | None, row: AgentRow | None, name: str, fault: str, *, needed: bool
) -> Diagnosis:
    """Say what an agent lacks: that it starts, or a login; of one that works its version."""
    if fault:
        hint = "" if "hint:" in fault else f"; hint: setpoint agents test {name}"
        return Diagnosis(f"agent {name}", ok=False, detail=f"{fault}{hint}", needed=needed)
    if launch is None or row is None:
        return Diagnosis(f"agent {name}", ok=True, detail="part of Setpoint or of a plug-in")
    if row.login == NO_LOGIN:
        return Diagnosis(f"agent {name}", ok=False, detail=f"no login was found; hint: {launch.login}")
    return Diagnosis(f"agent {name}", ok=True, detail=f"{row.version or 'installed'}; login: {row.login}")


async def _fault_of_agent(project: Project, agents: Agents, name: str, launches: Mapping[str, Launch]) -> str:
    """Say why an agent does not start; empty where it does."""
    launch = launches.get(name)
    try:
        async with asyncio.timeout(_AGENT_S):
            if launch is None or launch.protocol != "command":
                return await agents.why_not(name)
            environment = environment_of(launch)
            if lack := unstartable(launch.argv, environment.get("PATH", ""), project.root):
                return lack
            given = shipped().get(name)
            if given is None or given.argv != launch.argv:
                return ""  # what a command of the user's own does with --version is not known
            argv = launch.version_argv or (launch.argv[0], "--version")
            command = Command(argv=argv, cwd=project.root, environment=environment, timeout_s=_AGENT_S)
            return start_fault(await run(command))
    except SetpointError as error:
        return str(error)
    except TimeoutError:
        return f"it does not start within {_AGENT_S:g} s"


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


async def _servers_row(project: Project, commit: Commit | None) -> list[Diagnosis]:
    """Name the servers of tools that no agent gets since nobody approved them."""
    if commit is None:
        return []
    found = await tool_servers(str(project.root), project.root, commit)
    names = [f"{each.name} ({each.source})" for each in found.refused]
    if not names:
        return []
    told = f"not approved, so no agent gets them: {', '.join(names)}; hint: setpoint agents mcp"
    return [Diagnosis("tool servers", ok=False, detail=told)]


def _room_rows(project: Project) -> list[Diagnosis]:
    """Say how much room the copies, the caches and the record take, and what of it may go."""
    found, copies = kept(project), project.copies
    ok = os.access(copies, os.W_OK)
    size, rest = (
        sum(each.size for each in found if each.paths[0].is_relative_to(place)) / 1e6
        for place in (copies, project.state)
    )
    lack = "" if ok else " cannot be written; hint: chmod u+rwx it, or set cache_dir to another folder"
    free = sum(each.size for each in found if not each.stays) / 1e6
    return [
        Diagnosis("copies", ok=ok, needed=True, detail=f"{copies}{lack}: {size:.1f} MB"),
        Diagnosis("room", ok=True, detail=f"state {rest:.1f} MB; {free:.1f} MB can go: setpoint clean"),
    ]


async def _tool_rows(project: Project, commit: Commit | None) -> list[Diagnosis]:
    """Say with what the last commit would be measured, and whether that starts in a copy of it."""
    if commit is None:
        return []
    settings, tried = project.settings, list[Collected]()
    broken = dict[str, str]()

    async def trying(found: Found, place: Measured) -> None:
        tried.extend(await collect(found, place, settings, project.artifacts))
        broken.update(commands_that_cannot_start(found, Path(place.copy.path), settings))

    with holding(await _hold(project)):
        surveyor = Surveyor(settings, project.artifacts, project.folders)
        tools = await surveyor.survey(project.root, trying)
    rows = [_toolchain_row(each) for each in tools.toolchains]
    if tools.for_python:
        found = tools.python or "none found; hint: name it in the setting checks.python"
        rows.insert(0, Diagnosis("python", ok=bool(tools.python), detail=found, needed=not tools.python))
    rows += [Diagnosis(f"package {folder}", ok=True, detail=said) for folder, said in tools.packages]
    if tools.needs:
        stated = f"the checks get {tools.needs.words}; to state it: {tools.needs.settings}"
        rows.append(Diagnosis("carried", ok=True, detail=stated))
    collected = {each.name: each for each in tried}
    for name, reason in tools.checks.items():
        if name in collected:
            rows.append(_suite_row(collected[name], reason))
            continue
        if any(reason.startswith(typed) for typed in broken):
            continue  # the row of the project's command says it
        lack = broken.get(f"check.{name}", "")
        missing = tools.missing.get(name, "").replace("; ", "; hint: ", 1)
        why = lack or (f"{missing} ({reason})" if missing else "")
        asked = bool(lack) or (
            bool(why) and reason.startswith("setting")
        )  # then it counts as broken in a run
        rows.append(Diagnosis(name, ok=not why, detail=why or reason, needed=asked))
    rows += [_command_row(each, broken.get(each.reason, "")) for each in tools.own]
    rows += [Diagnosis("not read", ok=False, detail=each) for each in tools.unread]
    rows += [
        Diagnosis(name, ok=True, detail=f"not used: {reason}; to use it, set checks.{name} = true")
        for name, reason in tools.suggested.items()
    ]
    if not {*SUITES, NO_SUITE} & set(tools.checks):
        rows.append(
            Diagnosis("tests", ok=False, detail="none found; hint: setpoint run ... --accept 'COMMAND'")
        )
    return rows


def _suite_row(tried: Collected, reason: str) -> Diagnosis:
    """Say what a runner of tests collected, or why it does not."""
    told = f"{tried.found}; {reason}" if tried.found else reason
    return Diagnosis(tried.name, ok=not tried.problem, detail=tried.problem or told, needed=tried.needed)


def _stories_row(project: Project) -> Diagnosis:
    """Say how many stories there are, and which cannot be run as they are written."""
    found = check_stories(project)
    wrong = [fault for fault in found.values() if fault]
    more = f"; and {len(wrong) - 1} more: setpoint story check" if len(wrong) > 1 else ""
    return Diagnosis("stories", ok=not wrong, detail=f"{wrong[0]}{more}" if wrong else str(len(found)))


def _settings_rows(project: Project) -> list[Diagnosis]:
    """Say which programs of the settings are not there; none of them is started."""
    settings, path = project.settings, clean_environment().get("PATH", "")
    named = {f"agents.fixers {each[0]}": each for each in settings.agents.fixers if each}
    named |= {f"notify.{name}": each.command for name, each in settings.notify.items() if each.command}
    if settings.sonarqube.url:
        named["sonarqube"] = settings.sonarqube.command
    found = {name: unstartable(argv, path, project.root) for name, argv in named.items()}
    return [Diagnosis(name, ok=False, detail=why) for name, why in found.items() if why]


def _command_row(own: OwnCommand, lack: str) -> Diagnosis:
    """Say what the project's people type, what of it is not there, and where Setpoint never runs it."""
    if lack:
        return Diagnosis(f"command {own.kind}", ok=False, detail=f"{own.reason}: {lack}")
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
    said = str(project.root)
    if Path(__file__).is_relative_to(project.root):
        said = f"{said}, which is Setpoint's own source; hint: cd into your own project and repeat"
    writable = os.access(project.state, os.W_OK)
    closed = os.statvfs(project.state).f_flag & os.ST_RDONLY
    why = "lies on a read-only file system" if closed else "cannot be written"
    way = "make it writable" if closed else "chmod u+rwx it"
    state = str(project.state)
    if not writable:
        state = f"{state} {why}; commands that only read still work; hint: {way}"
    rows = [
        Diagnosis("repository", ok=True, needed=True, detail=said),
        Diagnosis(
            "commit",
            ok=commit is not None,
            needed=True,
            detail=str(commit or "none yet; hint: git add -A && git commit"),
        ),
        Diagnosis("state", ok=writable, needed=True, detail=state),
        *await asyncio.to_thread(record_rows, project),
        *await asyncio.to_thread(_room_rows, project),
        _stories_row(project),
    ]
    rows += [Diagnosis("settings", ok=False, detail=each) for each in project.settings.notices]
    tried = commit if os.access(project.copies, os.W_OK) else None  # in a copy
    tools, servers, sandboxes, checks, agents = await asyncio.gather(
        _tool_rows(project, tried),
        _servers_row(project, commit),
        _sandbox_row(project),
        _checks_row(project),
        _tried_agents(project),
    )
    return [
        *rows,
        *tools,
        *_settings_rows(project),
        sandboxes,
        checks,
        *servers,
        *agents,
    ]
