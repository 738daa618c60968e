"""The mechanic as a plug-in."""

from __future__ import annotations

from setpoint.plugins import AgentOptions
from setpoint.ports import Agent
from setpoint.ports.toolkit import Toolkit
from setpoint_mechanic.repair.agent import MechanicAgent


class MechanicPlugin:
    """Makes the agent that mends failing tests and lint findings without a model."""

    def why_not(self, options: AgentOptions) -> str:
        """Return nothing: it can work wherever Setpoint can."""
        del options
        return ""

    def agent(self, toolkit: Toolkit, options: AgentOptions) -> Agent:
        """Make the mechanic."""
        return MechanicAgent(toolkit, pytest_args=options.pytest_args, fixers=options.fixers)
