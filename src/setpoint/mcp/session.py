"""What one session of `setpoint mcp` knows: its repository, where it began, and the last check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from setpoint.app.library.own_loop import OwnLoop
from setpoint.app.runs.inside import own_tree, refuse_below_run
from setpoint.errors import SetpointError
from setpoint.model.config.mcp import McpSettings
from setpoint.model.evaluation import Evaluation
from setpoint.model.events import Body
from setpoint.wiring.project import Project, open_project


@dataclass(frozen=True, kw_only=True)
class Wording:
    """How the terminal writes what tools return."""

    verdict: Callable[[Evaluation, bool], str]
    """A verdict as `setpoint check` writes it; true: of a fast check."""
    line: Callable[[Body], str]
    """An event, as in the timeline of a run."""


class Session:
    """One session of an agent."""

    def __init__(self, here: Path, wording: Wording) -> None:
        """Begin in a folder; what is wrong with it is reported by each tool."""
        self.here, self.wording = here, wording
        self.base, self.terms = "", McpSettings()
        self.last: Evaluation | None = None
        """The last check of this session; none where nothing was measured yet."""
        try:
            self.base = own_tree(here).head
            with self.project() as project:
                # Read once: an agent that edits the settings changes nothing for its own session.
                self.terms = project.settings.mcp
        except (SetpointError, OSError):
            pass  # each tool reports it, and the terms stay closed

    @contextmanager
    def project(self) -> Iterator[Project]:
        """Open the repository with its settings as they are now; `UsageError` inside a run."""
        own_tree(self.here)
        project = open_project(self.here)
        try:
            refuse_below_run(project.state)
            yield project
        finally:
            project.store.close()


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a tool."""

    session: Session
    client: str
    """The agent, as its program names itself."""
    own: OwnLoop
    """Runs coroutines of this call, which a cancellation ends."""
    told: Callable[[str], None]
    """Reports progress to the agent."""
