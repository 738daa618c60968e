"""What a landing does next, as a function of its record and of what git shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from setpoint.model.events.landing import (
    AboutLanding,
    BranchMoved,
    CombinationMeasured,
    DecisionDone,
    Fate,
    LandingBegan,
    LandingCancelled,
    LandingEnded,
    Queued,
    StoryDecided,
)
from setpoint.model.ids import Commit, StoryId
from setpoint.model.value import Text, Value

MOST_MEASURED = 2
"""How often a combination is measured before its story is sent back: what fails only sometimes lands."""
MOST_SENT_BACK = 2
"""How often landings send a story back before a person has to look at it."""
_TAKEN_OUT = "it had landed, and somebody took it out of the branch again"


class Landing(Value):
    """The progress of a landing, as its events tell."""

    began: LandingBegan
    tip: Commit
    """What the branch is to hold now."""
    decided: dict[StoryId, StoryDecided] = {}
    pending: StoryDecided | None = None
    """The newest decision, until it is done."""
    measured: tuple[CombinationMeasured, ...] = ()
    moves: tuple[BranchMoved, ...] = ()
    cancelled: bool = False
    ended: LandingEnded | None = None

    @property
    def name(self) -> str:
        """Its name, for example `landing-3`."""
        return self.began.landing

    @property
    def landed(self) -> tuple[StoryDecided, ...]:
        """Stories that landed, in order."""
        return tuple(each for each in self.decided.values() if each.fate is Fate.LANDED)

    @property
    def undecided(self) -> tuple[Queued, ...]:
        """Stories of which nothing is decided yet, in order."""
        return tuple(each for each in self.began.queue if each.story not in self.decided)

    def queued(self, story: StoryId) -> Queued:
        """Return a story of the queue."""
        return next(each for each in self.began.queue if each.story == story)

    def measurements(self, story: StoryId, commit: Commit) -> tuple[CombinationMeasured, ...]:
        """Return what was measured of one combination."""
        return tuple(each for each in self.measured if (each.story, each.commit) == (story, commit))


def landings(bodies: Iterable[AboutLanding]) -> dict[str, Landing]:
    """Fold what is recorded of landings, oldest first."""
    found = dict[str, Landing]()
    for body in bodies:
        if isinstance(body, LandingBegan):
            found[body.landing] = Landing(began=body, tip=body.base)
        elif body.landing in found:
            now = found[body.landing]
            found[body.landing] = now.model_copy(update=_change(now, body))
    return found


def _change(now: Landing, body: AboutLanding) -> Mapping[str, object]:
    change: Mapping[str, object] = {}
    match body:
        case CombinationMeasured():
            change = {"measured": (*now.measured, body)}
        case StoryDecided(story=story, commit=tip):
            pending = None if body.fate is Fate.HELD else body
            change = {"decided": {**now.decided, story: body}, "tip": tip, "pending": pending}
        case DecisionDone():
            change = {"pending": None}
        case BranchMoved(now=tip, gone=gone):
            out = {"fate": Fate.GONE, "reason": _TAKEN_OUT}
            decided = {
                story: each.model_copy(update=out if story in gone else {})
                for story, each in now.decided.items()
                if now.pending is None or story != now.pending.story
            }
            change = {"decided": decided, "tip": tip, "pending": None, "moves": (*now.moves, body)}
        case LandingCancelled():
            change = {"cancelled": True}
        case LandingEnded():
            change = {"ended": body}
    return change


class Trial(Value):
    """What git makes of the next story on top of what has landed."""

    commit: Commit
    """The merge; what has landed itself where that holds the work already."""
    conflicts: tuple[Text, ...] = ()
    """Files that conflict."""


class Facts(Value):
    """What git shows."""

    at: Commit
    """What the branch holds."""
    ready: StoryId | None = None
    """The first undecided story that brings nothing but its own work."""
    changed: bool = False
    """Whether its branch was changed or deleted since the landing began."""
    trial: Trial | None = None
    """What git makes of it."""


class ActKind(StrEnum):
    """What a landing does next."""

    DO = "do"
    """Move the branch, or put the story on the board, as was decided."""
    FOLLOW = "follow"
    """Continue from where somebody else moved the branch."""
    MEASURE = "measure"
    DECIDE = "decide"
    END = "end"


class Act(Value):
    """One act of a landing."""

    kind: ActKind
    story: StoryId | None = None
    fate: Fate = Fate.HELD
    """What is decided."""
    reason: Text = ""
    for_person: bool = False
    """Whether it is held because a person has to look."""


def next_act(landing: Landing, facts: Facts) -> Act:
    """Return what is to be done next; the same record and facts give the same act."""
    pending, expected = landing.pending, {landing.tip}
    if pending is not None:
        expected |= {pending.before}
        if pending.fate is Fate.SENT_BACK or facts.at in expected:
            # A branch that could not be moved is not to be moved any more once the landing is cancelled.
            stays = landing.cancelled and pending.fate is Fate.LANDED and facts.at == pending.before
            return Act(kind=ActKind.FOLLOW if stays else ActKind.DO, story=pending.story)
    if facts.at not in expected:
        return Act(kind=ActKind.FOLLOW)
    if landing.cancelled or not landing.undecided:
        return Act(kind=ActKind.END)
    if facts.ready is not None and facts.trial is not None:
        return _tried(landing, landing.queued(facts.ready), facts.trial, changed=facts.changed)
    first, landed = landing.undecided[0], {each.story for each in landing.landed}
    if needs := [each for each in first.needs if each not in landed]:
        reason = f"begins from the work of {', '.join(needs)}, which has not landed"
        return Act(kind=ActKind.DECIDE, story=first.story, reason=reason)
    return _back(first, f"begins from commits that {landing.began.branch} does not hold")


def _back(queued: Queued, reason: str) -> Act:
    """Send a story back; one that was sent back too often waits for a person instead."""
    if queued.sent_back < MOST_SENT_BACK:
        return Act(kind=ActKind.DECIDE, story=queued.story, fate=Fate.SENT_BACK, reason=reason)
    reason = f"{reason}; landings sent it back {queued.sent_back} times, so a person has to look"
    return Act(kind=ActKind.DECIDE, story=queued.story, reason=reason, for_person=True)


def _tried(landing: Landing, chosen: Queued, trial: Trial, *, changed: bool) -> Act:
    story = chosen.story
    if changed:
        reason = f"{chosen.branch} was changed since the landing began"
        return Act(kind=ActKind.DECIDE, story=story, reason=reason)
    if trial.conflicts:
        return _back(chosen, f"conflicts with what has landed in {', '.join(trial.conflicts)}")
    known = landing.measurements(story, trial.commit)
    if trial.commit == landing.tip or (known and not known[-1].red):
        return Act(kind=ActKind.DECIDE, story=story, fate=Fate.LANDED)
    if len(known) < MOST_MEASURED:
        return Act(kind=ActKind.MEASURE, story=story)
    return _back(chosen, f"does not pass together with what has landed: {known[-1].red[0]}")


def moved(landing: Landing, at: Commit, held: Collection[StoryId]) -> BranchMoved:
    """Record that somebody else moved the branch, which now holds the work of some of what had landed.

    A story that was just about to land is tried again.
    """
    gone = (each.story for each in landing.landed if each.story not in held and each != landing.pending)
    return BranchMoved(landing=landing.name, now=at, gone=tuple(gone))
