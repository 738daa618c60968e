"""Those who write tests: the generator without a model, agents that are asked piece by piece, Pynguin."""

from setpoint.agents.generator.agent import GeneratorAgent
from setpoint.agents.generator.asking import AskedAgent
from setpoint.agents.generator.pynguin import PynguinAgent
from setpoint.agents.generator.strategies import Strategies

__all__ = ["AskedAgent", "GeneratorAgent", "PynguinAgent", "Strategies"]
