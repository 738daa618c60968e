"""Public fakes: the ports of Setpoint without the world behind them, for tests of loops and of plug-ins."""

from setpoint.testing.agent import Act, ScriptedAgent, SilentObserver
from setpoint.testing.evaluator import Scene, ScriptedEvaluator, evaluation, failure

__all__ = [
    "Act",
    "Scene",
    "ScriptedAgent",
    "ScriptedEvaluator",
    "SilentObserver",
    "evaluation",
    "failure",
]
