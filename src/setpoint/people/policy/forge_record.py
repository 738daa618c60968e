"""What is recorded of a forge: the issues that are stories, their pull requests, and what is still to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, assert_never

from setpoint.model.events import Event
from setpoint.model.events import forge as f
from setpoint.model.forge import ForgeComment, ForgeNews, Labelled, Pull, PullState
from setpoint.model.ids import Commit, StoryId, TraceId

ONE_ORDER = timedelta(seconds=10)
"""Orders of the same text within this time count as one."""
MOST_WATCHED = 50
"""Pull requests that are asked for at each look."""
OVERLAP = timedelta(minutes=10)
"""How far before the newest known comment the next look begins: clocks and indexes of forges lag behind."""


@dataclass(frozen=True, kw_only=True)
class OwnPull:
    """A pull request of Setpoint's."""

    number: int
    story: StoryId
    branch: str
    """At the forge."""
    head: Commit
    """What Setpoint pushed last."""
    runs: tuple[TraceId, ...]
    """The runs whose work it shows, the newest last."""
    url: str = ""
    state: PullState = PullState.OPEN
    refused: bool = False
    """People pushed to the branch while a run worked, so its result could not be pushed."""


@dataclass(frozen=True, kw_only=True)
class ForgeRecord:
    """All that is recorded of a project's forge."""

    seq: int = 0
    news: dict[str, ForgeNews] = field(default_factory=dict)
    """By key, in the order in which they were stored."""
    settled: dict[str, f.NewsSettled] = field(default_factory=dict)
    stories: dict[StoryId, int] = field(default_factory=dict)
    """The issue of each story."""
    pulls: dict[int, OwnPull] = field(default_factory=dict)
    shown: frozenset[TraceId] = frozenset()
    """Runs whose result is shown at the forge, or was refused there."""
    asked: frozenset[str] = frozenset()
    """Questions that are shown at the forge."""
    reworked: frozenset[str] = frozenset()
    """News that a rework was ordered for."""
    left_behind: frozenset[int] = frozenset()
    """Pull requests that were closed or merged when their story was ordered again."""
    shown_at: dict[StoryId, datetime] = field(default_factory=dict)
    """When people could last see something new of a story: a result, or a question."""
    newest_rework: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The news that the newest rework of each pull request was ordered for."""

    def open_news(self) -> Iterator[ForgeNews]:
        """Return what nothing was made of yet, oldest first."""
        return (each for key, each in self.news.items() if key not in self.settled)

    def story_of(self, number: int) -> StoryId | None:
        """Return the story of an issue or of a pull request."""
        if number in self.pulls:
            return self.pulls[number].story
        return next((story for story, issue in self.stories.items() if issue == number), None)

    def pull_of(self, story: StoryId) -> OwnPull | None:
        """Return the newest pull request of a story, but none that was over when it was ordered again."""
        found = [
            each
            for each in self.pulls.values()
            if each.story == story and each.number not in self.left_behind
        ]
        return found[-1] if found else None

    def watched_pulls(self) -> tuple[OwnPull, ...]:
        """Return the pull requests that something may still happen to, the newest ones."""
        return tuple(each for each in self.pulls.values() if each.state is not PullState.MERGED)[
            -MOST_WATCHED:
        ]

    def open_pulls(self) -> tuple[OwnPull, ...]:
        """Return the pull requests that are neither merged nor closed."""
        return tuple(each for each in self.pulls.values() if each.state is PullState.OPEN)

    def commented_since(self) -> datetime | None:
        """Return from when on comments have to be looked at; none before the first story or pull request."""
        ordered = [
            each.at for each in self.news.values() if isinstance(each, Labelled) and self._is_story(each)
        ]
        ordered += [self.shown_at[each.story] for each in self.pulls.values()]
        said = [each.at for each in self.news.values() if isinstance(each, ForgeComment)]
        if not ordered:
            return None
        return max([min(ordered), *(at - OVERLAP for at in said)])

    def wants_rework(self, story: StoryId) -> tuple[str, ...]:
        """Return the keys of what people said about the story's pull request and no rework was ordered for.

        Empty unless some of it orders rework.
        """
        left = [
            each
            for each in self.settled.values()
            if each.story == story
            and each.news not in self.reworked
            and each.action in (f.NewsAction.REWORK, f.NewsAction.FEEDBACK)
        ]
        orders = any(each.action is f.NewsAction.REWORK for each in left)
        return tuple(each.news for each in left) if orders else ()

    def ordered_near(self, news: Labelled) -> bool:
        """Whether an order for the same issue was taken up that is hardly older or younger.

        By webhook and by look, the time of one label may differ by seconds.
        """
        taken = (
            self.news.get(key) for key, each in self.settled.items() if each.action == f.NewsAction.STORY
        )
        return any(
            isinstance(each, Labelled)
            and (each.number, each.title, each.text) == (news.number, news.title, news.text)
            and abs(each.at - news.at) <= ONE_ORDER
            for each in taken
        )

    def taken_up(self, number: int) -> tuple[ForgeComment, ...]:
        """Return the comments on lines that the newest rework of a pull request was ordered for."""
        found = (self.news.get(key) for key in self.newest_rework.get(number, ()))
        return tuple(each for each in found if isinstance(each, ForgeComment) and each.file)

    def after(self, events: Iterable[Event]) -> ForgeRecord:
        """Add what was recorded meanwhile."""
        record = self
        for event in events:
            if isinstance(event.body, f.AboutForge):
                record = replace(record._with(event.body), seq=event.seq)
                if isinstance(event.body, f.PullPublished | f.QuestionShown):
                    shown = {**record.shown_at, event.body.story: event.at}
                    record = replace(record, shown_at=shown)
        return record

    def _with(self, body: f.AboutForge) -> ForgeRecord:
        record = self
        match body:
            case f.NewsStored():
                record = replace(self, news={**self.news, body.news.key: body.news})
            case f.NewsSettled():
                record = self._settled(body)
            case f.PullPublished():
                record = self._published(body)
            case f.PublishRefused():
                pulls = self._changed(body.number, refused=True)
                record = replace(self, shown=self.shown | {body.run}, pulls=pulls)
            case f.QuestionShown():
                record = replace(self, asked=self.asked | {f"{body.run}:{body.gate}"})
            case f.ReworkOrdered():
                pulls = self._changed(body.number, refused=False, head=body.base)
                newest = {**self.newest_rework, body.number: body.news}
                reworked = self.reworked | set(body.news)
                record = replace(self, reworked=reworked, newest_rework=newest, pulls=pulls)
            case f.DeliveryStored():
                pass
            case _:
                assert_never(body)
        return record

    def _changed(self, number: int, **values: Any) -> dict[int, OwnPull]:  # noqa: ANN401 - fields of a pull request
        """Return the pull requests with other values for one of them, if it is there."""
        pulls = dict(self.pulls)
        if number in pulls:
            pulls[number] = replace(pulls[number], **values)
        return pulls

    def _settled(self, body: f.NewsSettled) -> ForgeRecord:
        record = replace(self, settled={**self.settled, body.news: body})
        news = self.news.get(body.news)
        if isinstance(news, Labelled) and body.story is not None:
            over = {each.number for each in self.pulls.values() if each.state is not PullState.OPEN}
            stories = {**self.stories, body.story: news.number}
            own = {number for number in over if self.pulls[number].story == body.story}
            return replace(record, stories=stories, left_behind=self.left_behind | own)
        known = self.pulls.get(news.number) if isinstance(news, Pull) else None
        # What is merged stays merged, in whichever order messages arrive.
        if isinstance(news, Pull) and known is not None and known.state is not PullState.MERGED:
            return replace(record, pulls=self._changed(news.number, state=news.state))
        return record

    def _published(self, body: f.PullPublished) -> ForgeRecord:
        record = replace(self, shown=self.shown | {body.run})
        if body.number == 0 or body.head is None:
            return record
        before = self.pulls.get(body.number)
        own = OwnPull(
            number=body.number,
            story=body.story,
            branch=body.branch,
            head=body.head,
            runs=(*(before.runs if before else ()), body.run),
            url=body.url,
            state=before.state if before else PullState.OPEN,
        )
        return replace(record, pulls={**self.pulls, body.number: own})

    def _is_story(self, news: Labelled) -> bool:
        return news.number in self.stories.values()
