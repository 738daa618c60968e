"""Every error Setpoint raises on purpose, as one tree, with the exit code each leads to.

```
SetpointError                    4
├── UsageError                   2   wrong use of a verb
│   └── SettingsError            2   a wrong key or value in a configuration file, variable or flag
│   └── StoryError               2   a story file that cannot be read
│   └── PipelineError            2   a pipeline file that cannot be read
│   └── SandboxUnavailable       2   the sandbox that is asked for does not work on this machine
│   └── DeliveryRefused          2   a message to a webhook is not signed by the forge
├── NoUsableAgent                3   no agent is installed, logged in and working
├── WorkspaceError               4   git could not do what the run needs
├── ForgeError                   4   a forge refuses, cannot be reached or gives no usable answer
│   └── ForgeBusy                4   a forge asks to wait
├── RecordedDataError            4   the event log holds something this version cannot read
├── RunCancelled                12   the run was cancelled from elsewhere while it was driven
├── RunWaiting                  10   the run is paused until a person answers
└── RunInUse                     2   another process works on the run
```

The message of each says what is wrong and where; the hint says what to do next.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What the process tells its caller; stable, part of the public interface."""

    OK = 0
    """The work passed the exam that `proof.least` asks for, or a person accepted it."""
    FINDINGS = 1
    """`check`: the tree was measured and something is wrong with it."""
    USAGE = 2
    """Wrong use or configuration."""
    NO_AGENT = 3
    """No usable agent."""
    FAULT = 4
    """A fault in Setpoint, with a report to paste."""
    WAITING = 10
    """The run waits for a person."""
    STOPPED = 11
    """A guard stopped the run; the best state so far is kept."""
    CANCELLED = 12
    """Cancelled or skipped."""
    UNPROVEN = 13
    """Nobody but the maker examined the work, or it failed a run of the verdict; the best state is kept."""
    UNPROVABLE = 14
    """Nothing that Setpoint can run would prove the work: the run ended before an agent was paid. `check`:
    neither a test nor a type checker nor a linter measured the code."""
    INTERRUPTED = 130
    """Interrupted from the keyboard; `setpoint resume` goes on."""


class SetpointError(Exception):
    """Something went wrong inside Setpoint."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAULT

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep what is wrong and where (`message`) apart from what to do next (`hint`)."""
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """Return the message, and the hint on a line of its own."""
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class UsageError(SetpointError):
    """A verb was called in a way it cannot work with."""

    exit_code: ClassVar[ExitCode] = ExitCode.USAGE


class SettingsError(UsageError):
    """A configuration file, variable or flag has a wrong key or value."""


class StoryError(UsageError):
    """A story file cannot be read as a story."""


class PipelineError(UsageError):
    """A pipeline file cannot be read as a pipeline."""


class SandboxUnavailable(UsageError):
    """The sandbox that is asked for does not work on this machine."""


class DeliveryRefused(UsageError):
    """A message to a webhook has no signature, or a wrong one."""


class RunInUse(UsageError):
    """Another live process works on this run."""


class NoUsableAgent(SetpointError):
    """None of the wanted agents is installed, logged in and working."""

    exit_code: ClassVar[ExitCode] = ExitCode.NO_AGENT


class WorkspaceError(SetpointError):
    """Git could not do what the run needs."""


class ForgeError(SetpointError):
    """A forge refuses, cannot be reached, or gives an answer that cannot be used."""


class ForgeBusy(ForgeError):
    """A forge asks to wait."""

    def __init__(self, message: str, *, wait_s: float, hint: str = "") -> None:
        """Name the seconds to wait beside what happened."""
        super().__init__(message, hint=hint)
        self.wait_s = wait_s


class RecordedDataError(SetpointError):
    """The event log or an artifact holds something that this version cannot read."""


class RunCancelled(SetpointError):
    """The run was cancelled from elsewhere while this process drove it."""

    exit_code: ClassVar[ExitCode] = ExitCode.CANCELLED


class RunWaiting(SetpointError):
    """The run is paused until a person answers; it needs no process meanwhile."""

    exit_code: ClassVar[ExitCode] = ExitCode.WAITING

    def __init__(self, message: str, *, gate: str, hint: str = "") -> None:
        """Name the gate that is open beside what is asked (`message`) and how to answer (`hint`)."""
        super().__init__(message, hint=hint)
        self.gate = gate
