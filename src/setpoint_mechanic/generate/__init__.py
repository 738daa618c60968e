"""Those who write tests: the generator without a model, agents that are asked piece by piece, Pynguin."""

from setpoint_mechanic.generate.agent import GeneratorAgent
from setpoint_mechanic.generate.portfolio import Strategies
from setpoint_mechanic.generate.pynguin import PynguinAgent
from setpoint_mechanic.generate.segment_agent import AskedAgent

__all__ = ["AskedAgent", "GeneratorAgent", "PynguinAgent", "Strategies"]
