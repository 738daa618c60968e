"""Whether the makers of a run can work: found out before anything of the project is measured."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from setpoint.agents.named_variables import setting_of
from setpoint.app.project.settings_file import edited, settings_file
from setpoint.errors import NoUsableAgent, UsageError
from setpoint.model.attempt import NEXT_MAKER, Role
from setpoint.model.run import RunOrder
from setpoint.phase.candidates import PREFIX
from setpoint.settings import CustomAgent
from setpoint.system.files.atomic import write_atomic
from setpoint.wiring.agents import agents_of
from setpoint.wiring.project import Project


class UnpassedVariables(NamedTuple):
    """Variables that are set here, and that an agent would not get although its configuration names them."""

    agent: str
    names: tuple[str, ...]
    where: str
    """The file that names them, or the variable that has them read."""

    @property
    def told(self) -> str:
        """What is the matter, in a sentence."""
        names = ", ".join(self.names)
        return f"{self.agent}: its configuration ({self.where}) names {names}, not passed to it"

    @property
    def setting(self) -> str:
        """The lines of the settings that pass them."""
        return setting_of(self.agent, self.names)


def unpassed(project: Project, order: RunOrder) -> tuple[UnpassedVariables, ...]:
    """Return the variables that the agents of a run would miss."""
    agents, found = agents_of(project), []
    for agent in dict.fromkeys(order.agents.values()):
        lacking = [each for each in agents.lacking(agent) if each.given]
        for where in dict.fromkeys(each.where for each in lacking):
            names = tuple(each.name for each in lacking if each.where == where)
            found.append(UnpassedVariables(agent, names, where))
    return tuple(found)


def pass_variables(project: Project, wanted: UnpassedVariables) -> tuple[Project, str]:
    """Pass variables to an agent; return the project that does so, and what became of the setting."""
    own = project.settings.agent.get(wanted.agent, CustomAgent())
    names = (*own.pass_environment, *wanted.names)
    passing = own.model_copy(update={"pass_environment": names})
    agent = {**project.settings.agent, wanted.agent: passing}
    settings = project.settings.model_copy(update={"agent": agent})
    try:
        told = f"kept in {_kept(project.root, wanted.agent, names)}"
    except UsageError as error:
        told = f"for this run alone ({error.message}); hint: to keep it, write {wanted.setting}"
    return project._replace(settings=settings), told


def _kept(root: Path, agent: str, names: tuple[str, ...]) -> Path:
    """Write the setting into the file of the settings."""
    path, text = settings_file(root)
    wanted = tomllib.loads(text)
    wanted.setdefault("agent", {}).setdefault(agent, {})["pass_environment"] = [*names]
    after = edited(text, f"agent.{agent}", [f"pass_environment = {json.dumps(names)}"])
    try:
        right = tomllib.loads(after) == wanted
    except tomllib.TOMLDecodeError:  # the table or the list is written in another form
        right = False
    if not right:
        raise UsageError(f"{path.name} writes [agent.{agent}] in a way that cannot be changed")
    write_atomic(path, after)
    return path


def require_makers(project: Project, order: RunOrder) -> RunOrder:
    """Start each maker that the settings name as the run will start it, without a prompt.

    One that cannot work is noted where others can; `NoUsableAgent` where none is left. Those that `auto`
    took were started already.
    """
    wanted, makers = project.settings.agents, _makers(order)
    named = [name for name in makers if name in (*wanted.candidates, wanted.maker)]
    failed = asyncio.run(_failed(project, named))
    others = any(role.startswith(NEXT_MAKER) for role in order.agents)
    if failed and len(failed) == len(makers) and not others:
        raise failed[0]
    notes = [str(error).replace("\n  hint: ", "; hint: ") for error in failed]
    notes += [f"{each.told}; hint: {each.setting}" for each in unpassed(project, order)]
    return order.model_copy(update={"notes": (*order.notes, *notes)})


async def _failed(project: Project, names: Iterable[str]) -> list[NoUsableAgent]:
    agents, failed = agents_of(project), []
    for name in names:
        try:
            await agents.require(name)
        except NoUsableAgent as error:
            failed.append(error)
    return failed


def _makers(order: RunOrder) -> tuple[str, ...]:
    candidates = [name for role, name in order.agents.items() if role.startswith(PREFIX)]
    return tuple(dict.fromkeys(candidates or [order.agents[Role.MAKER]]))
