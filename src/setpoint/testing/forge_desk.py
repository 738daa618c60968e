"""The port of the loop around a forge to a project, in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from setpoint.model.events.people import Feedback
from setpoint.model.forge import CheckConclusion, CheckSummary, Deployed, ForgeCommand
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.stories.story import Story
from setpoint.ports import RunResult, RunTexts


class ListDesk:
    """Remembers what the loop asked for; runs end when the test says so."""

    def __init__(self, root: Path) -> None:
        """Begin with an empty board; commits lie in the repository at `root`."""
        self.root = root
        self.stories: dict[StoryId, Story] = {}
        self.ready: set[StoryId] = set()
        """Stories that wait for a run."""
        self.closed: list[StoryId] = []
        self.said: list[tuple[TraceId, str, Feedback]] = []
        """Feedback, each key once."""
        self.edits: list[tuple[TraceId, Commit, Commit]] = []
        self.merges: list[tuple[TraceId, Commit]] = []
        self.deployments: list[Deployed] = []
        self.commands: list[tuple[StoryId, ForgeCommand, str]] = []
        self.newest: dict[StoryId, RunResult] = {}

    # What a run does.

    def finish(self, story: StoryId, commit: Commit | None, *, verified: bool = True) -> TraceId:
        """End a run of a story with a commit, or with nothing."""
        run = TraceId(f"run-{story}-{len(self.newest) + len(self.said) + len(self.edits)}")
        self.ready.discard(story)
        self.newest[story] = RunResult(
            story=story,
            run=run,
            title=self.stories[story].title,
            finished=True,
            verified=verified,
            branch=f"setpoint/{story}" if commit else "",
            commit=commit,
            headline="verified" if verified else "stopped",
        )
        return run

    def ask(self, story: StoryId, gate: str, question: str) -> None:
        """Have the run of a story wait for an answer."""
        run = TraceId(f"run-{story}")
        self.newest[story] = RunResult(
            story=story,
            run=run,
            title=self.stories[story].title,
            finished=False,
            gate=gate,
            headline=question,
        )

    # The port.

    def open(self, story: Story) -> None:
        """Put a story on the board."""
        if story.id not in self.stories:
            self.stories[story.id] = story
            self.ready.add(story.id)

    def reopen(self, story: StoryId, more: str, base: Commit) -> None:
        """Have a story worked on again."""
        known = self.stories[story]
        body = known.body if more in known.body else f"{known.body}\n\n{more}"
        self.stories[story] = known.model_copy(update={"body": body, "base": base})
        self.ready.add(story)

    def close(self, story: StoryId) -> None:
        """Take a story off the board."""
        self.ready.discard(story)
        if story not in self.closed:
            self.closed.append(story)

    def busy(self, story: StoryId) -> bool:
        """Whether the story waits for a run."""
        return story in self.ready

    def feedback(self, run: TraceId, key: str, body: Feedback) -> None:
        """Keep feedback, each key once."""
        if key not in {known for _, known, _ in self.said}:
            self.said.append((run, key, body))

    def edited(self, run: TraceId, before: Commit, after: Commit) -> None:
        """Keep that people changed a branch."""
        self.edits.append((run, before, after))

    def merged(self, run: TraceId, tip: Commit) -> None:
        """Keep that work was merged."""
        self.merges.append((run, tip))

    def deployed(self, news: Deployed) -> str:
        """Keep a deployment."""
        self.deployments.append(news)
        return ""

    def carry_out(self, story: StoryId, command: ForgeCommand, by: str) -> str:
        """Keep a command."""
        self.commands.append((story, command, by))
        return f"{command.name} is done."

    def results(self, stories: Collection[StoryId]) -> tuple[RunResult, ...]:
        """Return the newest run of each story."""
        return tuple(result for story, result in self.newest.items() if story in stories)

    def texts(self, run: TraceId, issue: int, earlier: Sequence[TraceId] = ()) -> RunTexts:
        """Write short texts."""
        result = next(each for each in self.newest.values() if each.run == run)
        conclusion = CheckConclusion.SUCCESS if result.verified else CheckConclusion.FAILURE
        summary = CheckSummary(conclusion=conclusion, title=result.headline, text=f"For #{issue}")
        return RunTexts(
            title=result.title,
            text=f"For #{issue}, by {', '.join([*earlier, run])}",
            summary=summary,
            sarif=b"{}",
            evidence=result.commit or Commit("0" * 40),
        )
