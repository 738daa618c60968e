"""Public fakes: every port of Setpoint in memory, for tests of loops and of plug-ins."""

from setpoint.testing.agent import Act, ScriptedAgent, SilentObserver
from setpoint.testing.clock import ManualClock
from setpoint.testing.durable import Crash, InlineDurable
from setpoint.testing.evaluator import Scene, ScriptedEvaluator, evaluation, failure, proof
from setpoint.testing.forge_desk import ListDesk
from setpoint.testing.harness import RunHarness
from setpoint.testing.log import MemoryEventLog
from setpoint.testing.memory import ListMemory
from setpoint.testing.memory_forge import MemoryForge
from setpoint.testing.production import ListBoard, ListLineage
from setpoint.testing.toolkit import ScriptedToolkit
from setpoint.testing.workspace import Delivery, FolderWorkspace, RecordingForge

__all__ = [
    "Act",
    "Crash",
    "Delivery",
    "FolderWorkspace",
    "InlineDurable",
    "ListBoard",
    "ListDesk",
    "ListLineage",
    "ListMemory",
    "ManualClock",
    "MemoryEventLog",
    "MemoryForge",
    "RecordingForge",
    "RunHarness",
    "Scene",
    "ScriptedAgent",
    "ScriptedEvaluator",
    "ScriptedToolkit",
    "SilentObserver",
    "evaluation",
    "failure",
    "proof",
]
