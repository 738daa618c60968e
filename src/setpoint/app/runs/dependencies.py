"""Stories that depend on others: what they wait for, what they begin from, and what is newer than that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from setpoint.errors import UsageError
from setpoint.history.queries import RunState, RunSummary, runs_of
from setpoint.model.ending import Ending, is_usable
from setpoint.model.ids import Commit, StoryId
from setpoint.model.stories.board import ActionKind, Card
from setpoint.model.stories.story import Delivery, Status, Story
from setpoint.stories.policy.assessor import next_action
from setpoint.system.git.git import ask_at_once
from setpoint.system.git.merge import commit_named, is_ancestor, merged, newest_named
from setpoint.wiring.project import Project

_CHANGES = (Status.READY, Status.WAITING, Status.IN_PROGRESS, Status.REWORK, Status.IN_REVIEW)
"""Columns of stories that will deliver something new."""
_BY_HAND = "merge them on a branch and write it as `base`, or let one of them depend on the other"


class Dependencies:
    """The dependencies between the stories of a board, as git and the log show them now."""

    def __init__(self, project: Project, cards: Iterable[Card], stories: Mapping[StoryId, Story]) -> None:
        """Take the cards as their own files and runs make them."""
        self._project, self._root, self._stories = project, project.root, stories
        self._cards = {card.id: card for card in cards}
        self.card = cache(self._settled)
        self._delivered = cache(self._newest_delivery)

    def begin(self, story: Story, base: Commit) -> tuple[Commit, tuple[Delivery, ...]]:
        """Return the commit to begin a story from, and whose work it holds beyond the base.

        Raises `UsageError` where a dependency has delivered nothing, or what they delivered conflicts.
        """
        if waits := self._waits(story, base):
            hint = f"setpoint run {next(iter(waits))}, or remove it from depends_on"
            raise UsageError(f"story '{story.id}' waits for {'; '.join(waits.values())}", hint=hint)
        if conflict := self._conflict(story, base):
            raise UsageError(f"story '{story.id}': {conflict}", hint=_BY_HAND)
        needs = self._needs(story)
        return merged(self._root, base, tuple(each.commit for each in needs)).commit, needs

    def _settled(self, name: StoryId) -> Card:
        """Return the card of a story with what its dependencies make of it."""
        card, story = self._cards[name], self._stories.get(name)
        if story is None or card.fault or not story.depends_on:
            return card
        if card.status is Status.DONE and (newer := self._newer(card, story)):
            reason = f"measured on an older {newer}; a new run begins from the new one"
            card = _moved(card, Status.READY, ActionKind.START, reason)
        if card.action.kind is not ActionKind.START:
            return card
        base = newest_named(self._root, story.base or "HEAD") or Commit("HEAD")
        if waits := self._waits(story, base):
            waiting = _moved(card, Status.WAITING, ActionKind.WAIT, f"waits for {'; '.join(waits.values())}")
            return waiting.model_copy(update={"waits_for": tuple(waits)})
        if conflict := self._conflict(story, base):
            return _moved(card, Status.BLOCKED, ActionKind.LOOK, f"{conflict}; hint: {_BY_HAND}")
        return card

    def _waits(self, story: Story, base: Commit) -> dict[StoryId, str]:
        """Return the dependencies that have not delivered yet, each with its state."""
        found = dict[StoryId, str]()
        for need in story.depends_on:
            card = self.card(need) if need in self._cards else None
            run, delivery = self._delivered(need)
            if card is None and run is None:
                found[need] = f"{need}, which is not on the board"
            elif card is not None and _is_open(card, run):
                found[need] = f"{need} ({card.status.replace('_', ' ')})"
            elif run is not None and run.branch and delivery is None and not self._landed(run, base):
                found[need] = f"{need}: its branch {run.branch} is gone, and no commit of it is in the base"
        return found

    def _needs(self, story: Story) -> tuple[Delivery, ...]:
        return tuple(each for need in story.depends_on if (each := self._delivered(need)[1]) is not None)

    def _newest_delivery(self, story: StoryId) -> tuple[RunSummary | None, Delivery | None]:
        """Return the newest run with usable work, and its branch as it is now, if it exists."""
        for run in runs_of(self._project.store, self._project.locks.owner, story):
            usable = is_usable(run.ending, run.branch) or run.ending is Ending.MET
            if run.state is RunState.FINISHED and usable:
                tip = commit_named(self._root, f"refs/heads/{run.branch}") if run.branch else None
                return run, Delivery(story=story, run=run.trace_id, commit=tip) if tip else None
        return None, None

    def _landed(self, run: RunSummary, base: Commit) -> bool:
        """Whether a commit of a run is in the history of the base."""
        since = f"--since={run.started_at.isoformat()}"
        words = ("-1", "--format=%H", "--fixed-strings", f"--grep=Setpoint-Run: {run.trace_id}", since)
        return bool(ask_at_once(self._root, "log", *words, base).text)

    def _newer(self, card: Card, story: Story) -> str:
        """Name what was delivered since a story began from it; empty where its own delivery is merged."""
        began = {each.story: each for each in card.needs}
        changed = [each.story for each in self._needs(story) if began.get(each.story, each) != each]
        tip = commit_named(self._root, f"refs/heads/{card.branch}") if changed and card.branch else None
        return ", ".join(changed) if tip and not is_ancestor(self._root, tip, "HEAD") else ""

    def _conflict(self, story: Story, base: Commit) -> str:
        needs = self._needs(story)
        files = ", ".join(merged(self._root, base, tuple(each.commit for each in needs)).conflicts)
        told = " and ".join(f"{each.story} ({each.commit[:10]})" for each in needs)
        return f"what {told} delivered cannot be merged onto the base: conflict in {files}" if files else ""


def _is_open(card: Card, run: RunSummary | None) -> bool:
    """Whether a story will deliver something, or something new."""
    return bool(card.status in _CHANGES or card.fault or (run is None and card.status is not Status.DONE))


def _moved(card: Card, status: Status, kind: ActionKind, reason: str) -> Card:
    return card.model_copy(update={"status": status, "action": next_action(kind, reason)})
