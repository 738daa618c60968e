"""The generator as a plug-in: it writes tests alone, or directs others who do."""

from __future__ import annotations

from setpoint.plugins import AgentOptions
from setpoint.ports import Agent
from setpoint.ports.toolkit import Toolkit
from setpoint_mechanic.generate.agent import GeneratorAgent
from setpoint_mechanic.generate.portfolio import Strategies
from setpoint_mechanic.generate.pynguin import NO_INTERPRETER, PynguinAgent
from setpoint_mechanic.generate.segment_agent import AskedAgent

_BY_THEMSELVES = (GeneratorAgent.name, "mechanic", "rules")
"""Agents without a model, which are not asked piece by piece."""


class GeneratorPlugin:
    """Makes who writes tests in a run that only writes tests."""

    def why_not(self, options: AgentOptions) -> str:
        """Say what is missing for the strategies that the options name."""
        wanted = PynguinAgent.name in options.cover.strategies
        return NO_INTERPRETER if wanted and not options.cover.pynguin else ""

    def agent(self, toolkit: Toolkit, options: AgentOptions) -> Agent:
        """Make the generator; with `options.others` these write tests under its direction.

        Each of them is asked piece by piece. Several work side by side; what is good of each is kept.
        """
        goals, words = options.cover, options.pytest_args
        if not options.others:
            return GeneratorAgent(toolkit, goals, words)
        writers: dict[str, Agent] = {}
        for name in dict.fromkeys((*list(options.others)[:1], *goals.strategies)):
            if name == PynguinAgent.name:
                writers[name] = PynguinAgent(toolkit, goals, words)
            elif name in _BY_THEMSELVES:
                writers[name] = options.others[name]
            else:
                writers[name] = AskedAgent(options.others[name], toolkit, goals, words)
        return (
            Strategies(writers, toolkit, goals, words) if len(writers) > 1 else next(iter(writers.values()))
        )
