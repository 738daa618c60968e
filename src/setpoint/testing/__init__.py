"""Public fakes: the ports of Setpoint without the world behind them, for tests of loops and of plug-ins."""

from setpoint.testing.agent import Act, ScriptedAgent, SilentObserver
from setpoint.testing.clock import HandClock
from setpoint.testing.durable import Crash, InlineDurable
from setpoint.testing.evaluator import Scene, ScriptedEvaluator, evaluation, failure
from setpoint.testing.log import MemoryEventLog
from setpoint.testing.memory import ListMemory
from setpoint.testing.production import ListBoard, ToldLineage
from setpoint.testing.workspace import Delivery, FolderWorkspace, RecordingForge
from setpoint.testing.world import Stage

__all__ = [
    "Act",
    "Crash",
    "Delivery",
    "FolderWorkspace",
    "HandClock",
    "InlineDurable",
    "ListBoard",
    "ListMemory",
    "MemoryEventLog",
    "RecordingForge",
    "Scene",
    "ScriptedAgent",
    "ScriptedEvaluator",
    "SilentObserver",
    "Stage",
    "ToldLineage",
    "evaluation",
    "failure",
]
