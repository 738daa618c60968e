"""`setpoint agents setup`: what is missing for an agent, and its installation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from setpoint.agents.own_programs import OwnPrograms
from setpoint.agents.registry import BUILT_IN, pinned_node, shipped
from setpoint.agents.setup import SetupPlan as SetupPlan  # noqa: PLC0414 - what this module returns
from setpoint.agents.setup import Step, install, plan_setup
from setpoint.app.project.person import require_own_process
from setpoint.errors import NoUsableAgent


def planned_setup(name: str) -> SetupPlan:
    """Return what would be installed for an agent of the registry; no text of a project decides that.

    Raises `UsageError` in a process that an agent or a check started, `NoUsableAgent` for another name.
    """
    require_own_process()
    launches = shipped()
    if name in BUILT_IN:
        return SetupPlan(agent=name, title=name, folder="")
    if name not in launches:
        hint = f"name one of {', '.join(launches)}; an agent of your own you install yourself"
        raise NoUsableAgent(f"Setpoint does not know how to install '{name}'", hint=hint)
    return asyncio.run(plan_setup(launches[name], pinned_node(), OwnPrograms()))


def set_up(plan: SetupPlan, told: Callable[[Step], None]) -> None:
    """Install what a plan names, one package after another; `told` is called before each."""
    require_own_process()
    own = OwnPrograms()
    for step in plan.steps:
        told(step)
        asyncio.run(install(step, own))
