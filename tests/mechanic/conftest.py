"""The fixtures of agents, for the agents that come with Setpoint."""

from agents.conftest import artifacts, brief, living, scripted, toolkit, workdir

__all__ = ["artifacts", "brief", "living", "scripted", "toolkit", "workdir"]
