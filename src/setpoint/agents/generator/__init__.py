"""Writes tests for what no test reaches, with no model and no key."""

from setpoint.agents.generator.agent import GeneratorAgent

__all__ = ["GeneratorAgent"]
