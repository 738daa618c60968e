"""The built-in agent that needs no model and no key: it applies offered fixes and searches for repairs of failing tests."""

from setpoint.agents.mechanic.agent import MechanicAgent

__all__ = ["MechanicAgent"]
