"""The port to the board of stories."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from setpoint.model.ids import StoryId, TraceId
from setpoint.model.stories.story import Status, Story


class Board(Protocol):
    """The stories of a project."""

    def status(self, story: StoryId) -> Status | None:
        """Return the column of a story; none if there is no such story."""

    def put(self, story: Story, *, ready: bool) -> StoryId:
        """Write a story, kept back by `backlog` unless it is ready; one that is there stays as it is."""

    def fixed_by(self, story: StoryId) -> TraceId | None:
        """Return the newest run of a story, where it ended with work that was verified or accepted."""

    def changed_at(self, story: StoryId) -> datetime | None:
        """Say when a story was last written to, by whomever; none where there is no such story."""

    def reopen(self, story: StoryId, more: str, *, ready: bool) -> None:
        """Reopen a story and append words to it, unless it already contains them."""
