"""Which delivered work can land, in which order, and what git shows of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from setpoint.app.runs.board import list_cards, runs_of_story
from setpoint.errors import UsageError
from setpoint.history.replay import history
from setpoint.model.events.landing import TRACE, AboutLanding, Fate, Queued
from setpoint.model.ids import Commit, StoryId
from setpoint.model.stories.board import Card
from setpoint.model.stories.story import Status
from setpoint.stories.policy.landing import Facts, Landing, Trial, landings
from setpoint.system.git.git import ask_at_once
from setpoint.system.git.merge import commit_named, foreign_commits, is_ancestor, merged
from setpoint.wiring.project import Project


def recorded(project: Project) -> tuple[AboutLanding, ...]:
    """Return all that is recorded of landings, oldest first."""
    bodies = (event.body for event in project.log.replay(TRACE))
    return tuple(body for body in bodies if isinstance(body, AboutLanding))


def newest(project: Project) -> Landing | None:
    """Return the landing that began last."""
    return next(reversed(landings(recorded(project)).values()), None)


def waiting_work(project: Project, base: Commit, only: Collection[str] = ()) -> tuple[Queued, ...]:
    """Return delivered work that the base does not hold, in the order in which it lands.

    What landings sent back most goes first, so that no story starves; then by priority, then the oldest run.
    Raises `UsageError` where a story that is asked for delivered nothing that can land.
    """
    cards = {card.id: card for card in list_cards(project) if not only or card.id in only}
    found = {name: _delivered(project, card, base) for name, card in cards.items()}
    for name in map(StoryId, only):
        if isinstance(why := found.get(name, "no story has this id"), str):
            raise UsageError(f"'{name}' cannot land: {why}", hint="`setpoint story list --all` shows all")
    back, asked = sent_back(project)
    queue = [
        each.model_copy(update={"sent_back": back[each.story]})
        for each in found.values()
        if isinstance(each, Queued) and (only or not _left_to_person(asked, each))
    ]
    return tuple(sorted(queue, key=lambda each: (-each.sent_back, -cards[each.story].priority, each.run)))


def sent_back(project: Project) -> tuple[Counter[StoryId], dict[StoryId, Landing]]:
    """Count how often stories were sent back since they landed last.

    Beside it: those that were then left to a person, each with the newest landing that did so.
    """
    back, asked = Counter[StoryId](), dict[StoryId, Landing]()
    for landing in landings(recorded(project)).values():
        for story, decided in landing.decided.items():
            back[story] += decided.fate is Fate.SENT_BACK
            if decided.fate is Fate.LANDED:
                del back[story]
            if decided.for_person:
                asked[story] = landing
    return back, asked


def _left_to_person(asked: Mapping[StoryId, Landing], work: Queued) -> bool:
    landing = asked.get(work.story)
    return landing is not None and landing.queued(work.story).run == work.run


def newest_base(project: Project) -> Commit:
    """Return what the branch holds that workers land on; without one, what is checked out."""
    branch, last = project.settings.board.land, newest(project)
    here = (commit_named(project.root, f"refs/heads/{branch}") if branch else None) or Commit("HEAD")
    if last and last.ended and last.began.remote and last.began.branch == branch:
        there = last.ended.commit  # edits may keep the branch here from following
        return there if is_ancestor(project.root, here, there) else here
    return here


def something_waits(project: Project, branch: str) -> bool:
    """Whether a landing on a branch has something to do; where the branch is missing, it has to say so."""
    now, here = newest(project), commit_named(project.root, f"refs/heads/{branch}")
    going = here is None or (now is not None and now.ended is None)
    return going or bool(waiting_work(project, newest_base(project)))


def _delivered(project: Project, card: Card, base: Commit) -> Queued | str:
    """Return what a story delivered, or why it cannot land."""
    if card.status is not Status.DONE:
        return f"it is {card.status.replace('_', ' ')}"
    now = commit_named(project.root, f"refs/heads/{card.branch}") if card.branch else None
    if now and is_ancestor(project.root, now, base):
        return "it has landed"
    run = next((run for run, standing in runs_of_story(project, card.id) if standing.succeeded), None)
    past = history(project.log.replay(run.trace_id)) if run and run.branch else None
    branch = past.fixes[-1].branch if past and past.fixes else run.branch if run else ""
    tip = commit_named(project.root, f"refs/heads/{branch}") if branch else None
    if run is None or past is None or tip is None:
        return "no branch of it is there"
    if is_ancestor(project.root, tip, base):
        return "it has landed"
    if past.outcome is None or not past.outcome.enough:
        return "its exam is not enough (proof.least)"
    return Queued(
        story=card.id,
        title=card.title,
        run=run.trace_id,
        branch=branch,
        base=past.order.base,
        tip=tip,
        needs=tuple(each.story for each in past.order.needs),
    )


def facts_of(project: Project, landing: Landing, at: Commit) -> Facts:
    """Look at what git shows while the branch is at a commit."""
    root, left = project.root, landing.undecided if at == landing.tip else ()
    first = next((each for each in left if not foreign_commits(root, at, each.base)), None)
    if first is None:
        return Facts(at=at)
    changed = commit_named(root, f"refs/heads/{first.branch}") != first.tip
    return Facts(at=at, ready=first.story, changed=changed, trial=trial(root, landing, first, at))


def trial(root: Path, landing: Landing, queued: Queued, at: Commit) -> Trial:
    """Merge the work of a story on trial; the same work on the same commit gives the same merge."""
    message = f"Land {queued.story}: {queued.title}\n\nSetpoint-Landing: {landing.name}"
    came = merged(root, at, (queued.tip,), message)
    if came.conflicts:
        return Trial(commit=at, conflicts=came.conflicts)
    same = ask_at_once(root, "diff-tree", "--quiet", at, came.commit).ok
    return Trial(commit=at if same else came.commit)
