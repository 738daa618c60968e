"""The public ports: what a neighbour of Setpoint must be, one Protocol each."""

from setpoint.ports.agent import Agent, Observer
from setpoint.ports.board import Board
from setpoint.ports.check import Check, Measured
from setpoint.ports.clock import Clock
from setpoint.ports.durable import Durable
from setpoint.ports.evaluator import Evaluator, ShowsProduct, TakesOut, Toolbox
from setpoint.ports.event_log import EventLog
from setpoint.ports.forge import Appendix, BranchName, Forge
from setpoint.ports.forge_desk import FeedbackDesk, ForgeDesk, ResultDesk, RunResult, RunTexts, StoryDesk
from setpoint.ports.lineage import Lineage
from setpoint.ports.memory import Memory
from setpoint.ports.remote_forge import (
    DeliveryReader,
    ForgeGit,
    ForgePeople,
    ForgePulls,
    ForgeReader,
    ForgeWriter,
    RemoteForge,
)
from setpoint.ports.reviewing import Reviewing
from setpoint.ports.run_ports import RunPorts
from setpoint.ports.workbench import Workbench
from setpoint.ports.workspace import WorkCopy, Workspace

__all__ = [
    "Agent",
    "Appendix",
    "Board",
    "BranchName",
    "Check",
    "Clock",
    "DeliveryReader",
    "Durable",
    "Evaluator",
    "EventLog",
    "FeedbackDesk",
    "Forge",
    "ForgeDesk",
    "ForgeGit",
    "ForgePeople",
    "ForgePulls",
    "ForgeReader",
    "ForgeWriter",
    "Lineage",
    "Measured",
    "Memory",
    "Observer",
    "RemoteForge",
    "ResultDesk",
    "Reviewing",
    "RunPorts",
    "RunResult",
    "RunTexts",
    "ShowsProduct",
    "StoryDesk",
    "TakesOut",
    "Toolbox",
    "WorkCopy",
    "Workbench",
    "Workspace",
]
