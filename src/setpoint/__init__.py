"""Setpoint closes the loop around coding agents: it measures every claim and keeps the evidence.

These names are the public API, which semantic versioning covers (docs/how-to/library.md). Each is imported
when it is first asked for, so that `import setpoint` is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from setpoint.version import __version__

if TYPE_CHECKING:
    from setpoint.app.library.answering import AnswerOptions
    from setpoint.app.library.calls import acheck, arun, check, run
    from setpoint.app.library.project import OnEvent, OnResult, Project
    from setpoint.app.library.results import CheckOutcome, Outcome, Question, Status
    from setpoint.app.runs.options import RunOptions
    from setpoint.errors import (
        ExitCode,
        NoUsableAgent,
        PipelineError,
        RecordedDataError,
        RunCancelled,
        RunInUse,
        SandboxUnavailable,
        SetpointError,
        SettingsError,
        StoryError,
        UsageError,
        WorkspaceError,
    )
    from setpoint.model.events import Event
    from setpoint.model.evidence import Cause, CheckState, Coverage, Evidence, Failure, Fault, Frame
    from setpoint.model.exam import Exam, Examiner
    from setpoint.model.finding import Category, Edit, Finding, Fix, Nearness, Severity
    from setpoint.model.gate import Choice, Grant, OnLimit, Option
    from setpoint.model.goals import GoalMode, MetricGoal
    from setpoint.model.ids import StoryId
    from setpoint.model.product import ShownPage
    from setpoint.model.proof import WorkKind
    from setpoint.model.quality import Metric, QualityVector
    from setpoint.model.stories.story import IntegrityMode, KnownRed, Story
    from setpoint.model.verdict import HardGate

__all__ = [
    "AnswerOptions",
    "Category",
    "Cause",
    "CheckOutcome",
    "CheckState",
    "Choice",
    "Coverage",
    "Edit",
    "Event",
    "Evidence",
    "Exam",
    "Examiner",
    "ExitCode",
    "Failure",
    "Fault",
    "Finding",
    "Fix",
    "Frame",
    "GoalMode",
    "Grant",
    "HardGate",
    "IntegrityMode",
    "KnownRed",
    "Metric",
    "MetricGoal",
    "Nearness",
    "NoUsableAgent",
    "OnEvent",
    "OnLimit",
    "OnResult",
    "Option",
    "Outcome",
    "PipelineError",
    "Project",
    "QualityVector",
    "Question",
    "RecordedDataError",
    "RunCancelled",
    "RunInUse",
    "RunOptions",
    "SandboxUnavailable",
    "SetpointError",
    "SettingsError",
    "Severity",
    "ShownPage",
    "Status",
    "Story",
    "StoryError",
    "StoryId",
    "UsageError",
    "WorkKind",
    "WorkspaceError",
    "__version__",
    "acheck",
    "arun",
    "check",
    "run",
]

_HOMES = {
    "setpoint.app.library.answering": ("AnswerOptions",),
    "setpoint.app.library.calls": ("acheck", "arun", "check", "run"),
    "setpoint.app.library.project": ("OnEvent", "OnResult", "Project"),
    "setpoint.app.library.results": ("CheckOutcome", "Outcome", "Question", "Status"),
    "setpoint.app.runs.options": ("RunOptions",),
    "setpoint.errors": (
        "ExitCode",
        "NoUsableAgent",
        "PipelineError",
        "RecordedDataError",
        "RunCancelled",
        "RunInUse",
        "SandboxUnavailable",
        "SetpointError",
        "SettingsError",
        "StoryError",
        "UsageError",
        "WorkspaceError",
    ),
    "setpoint.model.events": ("Event",),
    "setpoint.model.evidence": ("Cause", "CheckState", "Coverage", "Evidence", "Failure", "Fault", "Frame"),
    "setpoint.model.exam": ("Exam", "Examiner"),
    "setpoint.model.finding": ("Category", "Edit", "Finding", "Fix", "Nearness", "Severity"),
    "setpoint.model.gate": ("Choice", "Grant", "OnLimit", "Option"),
    "setpoint.model.goals": ("GoalMode", "MetricGoal"),
    "setpoint.model.ids": ("StoryId",),
    "setpoint.model.product": ("ShownPage",),
    "setpoint.model.proof": ("WorkKind",),
    "setpoint.model.quality": ("Metric", "QualityVector"),
    "setpoint.model.stories.story": ("IntegrityMode", "KnownRed", "Story"),
    "setpoint.model.verdict": ("HardGate",),
}
"""Public names by the module that they live in."""
_HOME = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # a type checker would take every misspelt name for one that is found here

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module 'setpoint' has no attribute '{name}'")
        found = getattr(import_module(_HOME[name]), name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *_HOME})
