"""A model that plays a scenario on loopback, in the dialects of real agents, so that they run without a key.

See docs/how-to/scripted-model.md.
"""

from setpoint.testing.model_server.scenario import (
    Conversation,
    Fault,
    Read,
    Say,
    Scenario,
    Shell,
    Step,
    Use,
    Write,
)
from setpoint.testing.model_server.server import Asked, ScriptedModel, scripted_model

__all__ = [
    "Asked",
    "Conversation",
    "Fault",
    "Read",
    "Say",
    "Scenario",
    "ScriptedModel",
    "Shell",
    "Step",
    "Use",
    "Write",
    "scripted_model",
]
