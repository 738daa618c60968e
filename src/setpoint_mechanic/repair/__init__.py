"""The built-in agent that needs no model and no key: it applies offered fixes and searches for repairs."""

from setpoint_mechanic.repair.agent import MechanicAgent

__all__ = ["MechanicAgent"]
