"""Everything a run needs from outside, in one value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from setpoint.model.ids import Artifact, TraceId
from setpoint.ports.agent import Agent
from setpoint.ports.clock import Clock
from setpoint.ports.durable import Durable
from setpoint.ports.evaluator import Evaluator
from setpoint.ports.event_log import EventLog
from setpoint.ports.forge import Forge
from setpoint.ports.memory import Memory
from setpoint.ports.policy import PluggedGuard, PluggedPolicy
from setpoint.ports.reviewing import Reviewing
from setpoint.ports.workbench import Workbench
from setpoint.ports.workspace import Workspace


class RunPorts(NamedTuple):
    """All neighbours of a run, as the composition root wires them."""

    agents: dict[str, Agent]
    """By role."""
    workspace: Workspace
    forge: Forge
    evaluator: Evaluator
    log: EventLog
    durable: Durable
    clock: Clock
    keep: Callable[[str], str]
    """Keeps a text as an artifact and gives its sha256."""
    read: Callable[[Artifact], bytes]
    """Returns what was kept or hidden, by its sha256."""
    kept_at: Callable[[Artifact], str]
    """Names the file of what was kept or hidden, for a person to open."""
    render: Callable[[str, dict[str, object]], str]
    """Renders a prompt template by name."""
    publish: Callable[[TraceId], None]
    """Brings the files a person can open up to date."""
    folder: str
    """Where these files lie."""
    scratchpad: Callable[[TraceId], str] = lambda _: ""
    """Describes what has happened in a run so far, for its maker."""
    workbench: Workbench | None = None
    """What agents find in their work copies beside the work; none: nothing."""
    attended: bool = False
    """Whether a person is there while the run works, who can answer an agent or log it in."""
    reviewing: Reviewing = Reviewing()
    """What is known of reviewers."""
    memory: Memory | None = None
    """What earlier runs and people taught; none: nothing is recalled and nothing is kept."""
    guards: Mapping[str, PluggedGuard] = {}
    """Guards of plug-ins, by name; asked after Setpoint's own."""
    policies: Mapping[str, PluggedPolicy] = {}
    """The halting policy of a plug-in, by name; none: `rules-v1`."""
    hide: Callable[[str], str] | None = None
    """Keeps a text as `keep` does, but where no process of a maker reads it; none: nothing can be hidden."""
    readable: Callable[[str, str], Awaitable[str]] | None = None
    """Says why a maker could read the hidden tests of an author, both by name; empty where it could not."""
