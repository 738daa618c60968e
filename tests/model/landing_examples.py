"""One example of every event of a landing."""

from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.landing import (
    BranchMoved,
    CombinationMeasured,
    DecisionDone,
    Fate,
    LandingBegan,
    LandingCancelled,
    LandingEnded,
    PatchFound,
    Queued,
    StoryDecided,
)

_COMMIT, _MERGE = "1" * 40, "2" * 40
_QUEUED = Queued(
    story="totals", title="Totals", run="run-1", branch="setpoint/totals", base="0" * 40, tip=_COMMIT
)
_EVALUATION = Evaluation(stage=Stage.TEST, commit=_MERGE, tree="t" * 40, evidence=())
_FOUND = PatchFound(story="totals", commit=_MERGE, patch_id="a" * 40, found=True, by="the same patch id")

ABOUT_LANDING = (
    LandingBegan(landing="landing-1", branch="main", into=True, base="0" * 40, queue=(_QUEUED,)),
    CombinationMeasured(
        landing="landing-1", story="totals", commit=_MERGE, red=("t::x: 2 != 3",), evaluation=_EVALUATION
    ),
    StoryDecided(
        landing="landing-1",
        story="totals",
        fate=Fate.SENT_BACK,
        before=_COMMIT,
        commit=_COMMIT,
        reason="conflicts with what has landed in totals.py",
        feedback="Do it again.",
    ),
    DecisionDone(landing="landing-1", story="totals"),
    BranchMoved(landing="landing-1", now=_MERGE, gone=("totals",)),
    LandingCancelled(landing="landing-1"),
    LandingEnded(landing="landing-1", commit=_MERGE, tree="t" * 40, measured=True, patches=(_FOUND,)),
)
