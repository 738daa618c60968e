"""One example of every event about production."""

from datetime import UTC, datetime, timedelta

from setpoint.model.events import production as p
from setpoint.model.finding import Severity
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.production import Blame, Change, Deployment, Frame, Hypothesis, Signal, Suspicion

NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
OLD, BAD, OTHER = (Commit(digit * 40) for digit in "abd")
BEFORE = Deployment(environment="production", commit=OLD, release="v1", at=NOON - 600 * MINUTE)
DEPLOYED = Deployment(environment="production", commit=OTHER, release="v2", at=NOON - 5 * MINUTE)
FRAME = Frame(file="/srv/app/shop/cart.py", line=14, function="average")
SIGNAL = Signal(
    source="shop/errors",
    id="4711",
    fingerprint="0123456789abcdef",
    severity=Severity.ERROR,
    title="ZeroDivisionError in average",
    environment="production",
    frames=(FRAME,),
    occurred_at=NOON,
)
CHANGES = (
    Change(commit=OTHER, title="Say hello", at=NOON - 20 * MINUTE, files=("README.md",)),
    Change(commit=BAD, title="Shorten the average", at=NOON - 30 * MINUTE, files=("shop/cart.py",)),
)
BLAME = Blame(place=0, path="shop/cart.py", line=14, commit=BAD)
SUSPECTED = Suspicion(
    commit=BAD, title="Shorten the average", at=NOON - 30 * MINUTE, score=0.58, reasons=("last changed it",)
)
STORY = StoryId("production-zerodivisionerror-012345")
FIXED = Deployment(environment="production", commit=Commit("f" * 40), release="v3", at=NOON + 30 * MINUTE)
MENDED = {"fingerprint": SIGNAL.fingerprint, "story": STORY, "run": TraceId("run-0mended")}
ABOUT_PRODUCTION = (
    p.Deployed(deployment=DEPLOYED),
    p.AnomalyDetected(signal=SIGNAL),
    p.AnomalyEnded(signal=SIGNAL.name, ended_at=NOON + 9 * MINUTE),
    p.CauseSuspected(
        signal=SIGNAL.name,
        hypothesis=Hypothesis(deployment=DEPLOYED, previous=BEFORE, brought=2, suspects=(SUSPECTED,)),
    ),
    p.StoryOpened(
        fingerprint=SIGNAL.fingerprint, story=STORY, signal=SIGNAL.name, approved=False, reason="by rule"
    ),
    p.StoryDeferred(
        fingerprint=SIGNAL.fingerprint, signal=SIGNAL.name, until=NOON + 60 * MINUTE, reason="too many"
    ),
    p.ProblemDecided(fingerprint=SIGNAL.fingerprint, story=STORY, approved=False, by="Ann", reason="a drill"),
    p.FixDeployed(**MENDED, deployment=FIXED),
    p.FixHeld(**MENDED, reason="not seen"),
    p.ProblemReturned(**MENDED, signal=SIGNAL.name, approved=False, reason="seen again"),
)
