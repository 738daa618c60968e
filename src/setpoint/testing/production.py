"""A board in memory, and a history of the code that is told instead of asked of git."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from setpoint.domain.ids import Commit, StoryId
from setpoint.domain.production import Blame, Change, Frame
from setpoint.domain.story import Status, Story


class ListBoard:
    """Stories with their columns; a test may move them by `columns`."""

    def __init__(self) -> None:
        """Begin empty."""
        self.stories: dict[StoryId, Story] = {}
        self.columns: dict[StoryId, Status] = {}

    def status(self, story: StoryId) -> Status | None:
        """Give the column that a story stands in; none where there is no such story."""
        return self.columns.get(story)

    def put(self, story: Story, *, ready: bool) -> StoryId:
        """Write a story, kept back by `backlog` unless it is ready; one that is there stays as it is."""
        if story.id not in self.stories:
            self.stories[story.id] = story
            self.columns[story.id] = Status.READY if ready else Status.BACKLOG
        return story.id


class ToldLineage:
    """A straight history: commits in their order, and which of them a line of a file comes from."""

    def __init__(
        self, changes: Sequence[Change], lines: Mapping[tuple[str, int], Commit] | None = None
    ) -> None:
        """Take all commits, oldest first, and the commit of each line that frames may name."""
        self._changes = tuple(changes)
        self._lines = dict(lines or {})

    async def brought(self, older: Commit, newer: Commit) -> tuple[Change, ...]:
        """Give the commits that `newer` holds and `older` does not, newest first."""
        names = [each.commit for each in self._changes]
        if older not in names or newer not in names:
            return ()
        return tuple(reversed(self._changes[names.index(older) + 1 : names.index(newer) + 1]))

    async def blamed(self, at: Commit, frames: Sequence[Frame]) -> tuple[Blame, ...]:
        """Give the commits behind the lines that frames name; of a commit that is not there, nothing."""
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
