"""A board in memory, and a history of the code that is a list instead of git."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.production import Blame, Change, Frame
from setpoint.model.stories.story import Status, Story


class ListBoard:
    """Stories with their columns; a test may move them by `columns`."""

    def __init__(self) -> None:
        """Begin empty."""
        self.stories: dict[StoryId, Story] = {}
        self.columns: dict[StoryId, Status] = {}
        self.runs: dict[StoryId, TraceId] = {}
        self.times: dict[StoryId, datetime] = {}

    def status(self, story: StoryId) -> Status | None:
        """Return the board column of a story; none where there is no such story."""
        return self.columns.get(story)

    def put(self, story: Story, *, ready: bool) -> StoryId:
        """Write a story, kept back by `backlog` unless it is ready; one that is there stays as it is."""
        if story.id not in self.stories:
            self.stories[story.id] = story
            self.columns[story.id] = Status.READY if ready else Status.BACKLOG
        return story.id

    def fixed_by(self, story: StoryId) -> TraceId | None:
        """Return the run that a test put into `runs`."""
        return self.runs.get(story)

    def changed_at(self, story: StoryId) -> datetime | None:
        """Return the time that a test put into `times`."""
        return self.times.get(story)

    def reopen(self, story: StoryId, more: str, *, ready: bool) -> None:
        """Open a story again, with more words at its end; words that are there already appear once."""
        known = self.stories[story]
        if more not in known.body:
            self.stories[story] = known.model_copy(update={"body": f"{known.body}\n\n{more}"})
        self.columns[story] = Status.READY if ready else Status.BACKLOG


class ListLineage:
    """A straight history: commits in their order, and which of them a line of a file comes from."""

    def __init__(
        self, changes: Sequence[Change], lines: Mapping[tuple[str, int], Commit] | None = None
    ) -> None:
        """Take all commits, oldest first, and the commit of each line that frames may name."""
        self._changes = tuple(changes)
        self._lines = dict(lines or {})

    async def brought(self, older: Commit, newer: Commit) -> tuple[Change, ...]:
        """Return the commits that `newer` holds and `older` does not, newest first."""
        names = [each.commit for each in self._changes]
        if older not in names or newer not in names:
            return ()
        return tuple(reversed(self._changes[names.index(older) + 1 : names.index(newer) + 1]))

    async def blamed(self, at: Commit, frames: Sequence[Frame]) -> tuple[Blame, ...]:
        """Return the commits behind the lines that frames name; of a commit that is not there, nothing."""
        if at not in {each.commit for each in self._changes}:
            return ()
        return tuple(
            Blame(place=place, path=frame.file, line=frame.line, commit=commit)
            for place, frame in enumerate(frames)
            if (commit := self._lines.get((frame.file, frame.line))) is not None
        )

    async def told(self, commits: Collection[Commit]) -> tuple[Change, ...]:
        """Describe commits, newest first; those that are not there are left out."""
        return tuple(each for each in reversed(self._changes) if each.commit in commits)

    async def holds(self, commit: Commit, run: TraceId, since: datetime) -> bool:
        """Return whether a commit is, or comes after, one whose title names the run."""
        names = [each.commit for each in self._changes]
        if commit not in names:
            return False
        held = self._changes[: names.index(commit) + 1]
        return any(run in each.title and each.at >= since for each in held)
