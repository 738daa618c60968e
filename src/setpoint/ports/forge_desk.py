"""The port of the loop around a forge to the project: its stories, runs and the record of feedback."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from setpoint.model.events.people import Feedback
from setpoint.model.forge import CheckSummary, Deployed, ForgeCommand
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.stories.story import Story
from setpoint.model.value import Text, Value


class RunResult(Value):
    """The newest run of a story, as far as it is to be shown at a forge."""

    story: StoryId
    run: TraceId
    title: Text
    finished: bool
    verified: bool = False
    branch: Text = ""
    """The branch in the user's repository; empty where nothing was delivered."""
    commit: Commit | None = None
    gate: str = ""
    """The question that it waits with; empty where it does not wait."""
    headline: Text = ""
    """What became of it, or what it asks, in one line."""


class RunTexts(Value):
    """What a forge shows of a finished run."""

    title: Text
    text: Text
    """Markdown."""
    summary: CheckSummary
    sarif: bytes
    evidence: Commit
    """A commit that holds the statement, the report and the findings, and nothing of the project."""


class StoryDesk(Protocol):
    """The stories of a project, for the loop around a forge; each call may be made twice."""

    def open(self, story: Story) -> None:
        """Write a story that may be worked on; one that is there stays as it is."""

    def reopen(self, story: StoryId, more: str, base: Commit) -> None:
        """Have a story worked on again from another commit, with more words at its end."""

    def close(self, story: StoryId) -> None:
        """Take a story off the board: it is merged, or nobody wants it."""

    def busy(self, story: StoryId) -> bool:
        """Whether a run of the story is under way or about to begin."""


class FeedbackDesk(Protocol):
    """What people said and did at a forge, for the record; each call may be made twice."""

    def feedback(self, run: TraceId, key: str, body: Feedback) -> None:
        """Record what a person said or did about a run; what follows from it for memory happens once."""

    def edited(self, run: TraceId, before: Commit, after: Commit) -> None:
        """Record that people changed a delivered branch."""

    def merged(self, run: TraceId, tip: Commit) -> None:
        """Record what git shows of delivered work on a branch that others merge into."""

    def deployed(self, news: Deployed) -> str:
        """Record a deployment; return why that is not possible, empty where it is recorded."""

    def carry_out(self, story: StoryId, command: ForgeCommand, by: str) -> str:
        """Carry out a command of a person who may push; return what to answer."""


class ResultDesk(Protocol):
    """The runs of a project, as a forge shows them."""

    def results(self, stories: Collection[StoryId]) -> tuple[RunResult, ...]:
        """Return the newest run of each of these stories that waits or has ended."""

    def texts(self, run: TraceId, issue: int, earlier: Sequence[TraceId] = ()) -> RunTexts:
        """Write what a forge shows of a finished run; `earlier` are those whose work it builds on."""


class ForgeDesk(StoryDesk, FeedbackDesk, ResultDesk, Protocol):
    """What the loop around a forge asks of the project."""

    root: Path
    """Of the repository."""
