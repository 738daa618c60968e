"""Contract suites: what Setpoint expects of each public port, as tests for the author of a plug-in.

Subclass one in your tests under a name that begins with `Test`, and say how to make what is tested: define
the attributes and methods that the class names, or override its fixture. pytest runs the methods; the
coroutines among them need pytest-asyncio with `asyncio_mode = "auto"`.
"""

import pytest

# An assert of a suite that fails then shows its values, as one of your own does.
_PORTS = (
    "agent", "check", "durable", "event_log", "forge", "format", "guard",
    "memory", "metric", "remote_forge", "toolkit", "workspace",
)  # fmt: skip
pytest.register_assert_rewrite(*(f"{__name__}.{port}" for port in _PORTS))

from setpoint.testing.contracts.agent import AgentContract
from setpoint.testing.contracts.check import CheckContract
from setpoint.testing.contracts.durable import DurableContract
from setpoint.testing.contracts.event_log import EventLogContract
from setpoint.testing.contracts.forge import ForgeContract
from setpoint.testing.contracts.format import FormatContract
from setpoint.testing.contracts.guard import GuardContract
from setpoint.testing.contracts.memory import MemoryContract
from setpoint.testing.contracts.metric import MetricContract
from setpoint.testing.contracts.remote_forge import RemoteForgeContract
from setpoint.testing.contracts.toolkit import ToolkitContract
from setpoint.testing.contracts.workspace import WorkspaceContract

__all__ = [
    "AgentContract",
    "CheckContract",
    "DurableContract",
    "EventLogContract",
    "ForgeContract",
    "FormatContract",
    "GuardContract",
    "MemoryContract",
    "MetricContract",
    "RemoteForgeContract",
    "ToolkitContract",
    "WorkspaceContract",
]
