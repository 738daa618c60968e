"""The JSON API of what people say and do about a run: its findings, their fixes, and lines of its change."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Path, Query
from fastapi.responses import PlainTextResponse
from pydantic import AfterValidator, Field

from setpoint.app.people.feedback import (
    DecisionOutcome,
    Terms,
    add_comment,
    dismiss_finding,
    lift_finding,
    list_feedback,
)
from setpoint.app.people.findings import FindingView, find_finding, fix_of, list_findings
from setpoint.app.people.fixes import finding_with_fix
from setpoint.app.people.suppressions import active
from setpoint.app.runs.launcher import ActiveCommand, FailedCommand
from setpoint.app.views.run_page import Comment, DecisionLine, comments_of, decisions_of
from setpoint.errors import UsageError
from setpoint.history.feedback import FeedbackEntry, FeedbackFilter
from setpoint.model.events.learning import ConfidenceDecreased, ConfidenceIncreased
from setpoint.model.events.people import Feedback
from setpoint.model.finding import Finding
from setpoint.model.ids import LearningId, TraceId
from setpoint.model.suppression import DAYS, Suppression
from setpoint.model.value import Text, Value
from setpoint.web.api import Started
from setpoint.web.request_context import Admin, Answerer, KnownRun, Reader, Sent, TheDesk

router = APIRouter(prefix="/api/v1")
LONGEST_THOUGHT_S = 86_400.0
"""Seconds of thought beyond which a page was left open, not thought about."""
Thought = Annotated[float, Field(ge=0), AfterValidator(lambda seconds: min(seconds, LONGEST_THOUGHT_S))]
"""Seconds of thought; more than the longest count as that."""


class FeedbackQuery(FeedbackFilter, Sent):
    """What is asked for, and how much of it."""

    most: int = Field(default=500, ge=1, le=5000)


class FindingShown(Value):
    """A finding of a run, and what people decided about it."""

    id: str
    """Its fingerprint."""
    iteration: int
    """The iteration in which it was seen last."""
    finding: Finding
    decided: tuple[DecisionLine, ...] = ()
    """Oldest first."""


class Dismissal(Sent):
    """Why a finding is none."""

    reason: Text = Field(default="", max_length=2000)
    considered_s: Thought | None = None
    """Seconds between seeing it and deciding; a dismissal after long thought weighs less."""
    days: int = Field(default=DAYS, ge=1, le=365)
    """Days until the finding counts again."""
    place: Text = Field(default="", max_length=1000)
    """A path or glob, with `::symbol` where one is meant; empty: the line of code that it was found in."""


class OwnFix(Sent):
    """A person's own fix of a finding."""

    patch: Text = Field(min_length=1, max_length=60_000)
    """A unified diff against the best state of the run."""


class Remark(Sent):
    """A comment on a line of a change."""

    file: Text = Field(min_length=1, max_length=1000)
    """Path from the root of the repository."""
    line: int = Field(ge=1)
    """The line as the change has it."""
    text: Text = Field(min_length=1, max_length=20_000)
    iteration: int = Field(default=0, ge=0, le=1000)
    """The iteration whose change has that line; 0: all that was changed."""


class Outcome(Value):
    """What came of what a person said."""

    body: Feedback
    """The event that was recorded."""
    moved: tuple[ConfidenceIncreased | ConfidenceDecreased, ...] = ()
    """Learnings that are believed more or less now."""
    learnt: LearningId | None = None
    """The learning that was made of it."""


class Work(Value):
    """What the dashboard has started."""

    working: tuple[ActiveCommand, ...]
    failed: tuple[FailedCommand, ...]
    """Newest first; only the last few are kept."""


def known_finding(
    which: KnownRun, finding: Annotated[str, Path(min_length=1, max_length=64)], desk: TheDesk
) -> FindingView:
    """Return the finding of a run whose id begins so, or answer that there is none."""
    try:
        return find_finding(desk.project, TraceId(which), finding)
    except UsageError as error:
        raise HTTPException(404, error.message) from None


KnownFinding = Annotated[FindingView, Depends(known_finding)]


@router.get("/runs/{which}/findings")
def findings(which: KnownRun, desk: TheDesk, _visitor: Reader) -> list[FindingShown]:
    """Return every finding of a run as it was seen last, worst first, with what people decided about each."""
    decided = decisions_of(desk.project, TraceId(which))
    return [_shown(each, decided) for each in list_findings(desk.project, TraceId(which))]


@router.get("/runs/{which}/findings/{finding}")
def finding(which: KnownRun, seen: KnownFinding, desk: TheDesk, _visitor: Reader) -> FindingShown:
    """Return one finding; the beginning of its id is enough."""
    return _shown(seen, decisions_of(desk.project, TraceId(which)))


@router.get("/runs/{which}/findings/{finding}/patch", response_class=PlainTextResponse)
def patch(which: KnownRun, seen: KnownFinding, desk: TheDesk, _visitor: Reader) -> str:
    """Return the suggested fix of a finding as a patch that `git apply` takes."""
    return fix_of(desk.project, TraceId(which), seen)


@router.post("/runs/{which}/findings/{finding}/dismiss")
async def dismiss(
    which: KnownRun, seen: KnownFinding, body: Dismissal, desk: TheDesk, _visitor: Answerer
) -> Outcome:
    """Suppress a finding at its place: it blocks nothing, in this and later runs, until that ends."""
    return outcome(
        await asyncio.to_thread(
            dismiss_finding,
            desk.project,
            TraceId(which),
            seen.finding.fingerprint,
            body.reason,
            Terms(days=body.days, place=body.place, considered_s=body.considered_s),
        )
    )


@router.get("/suppressions")
def suppressions(desk: TheDesk, _visitor: Reader) -> list[Suppression]:
    """Return what people dismissed and no gate counts, oldest first."""
    return list(active(desk.project))


@router.post("/suppressions/{finding}/lift")
async def lift(finding: str, desk: TheDesk, _visitor: Answerer) -> Suppression:
    """Take a dismissal back: the finding counts again."""
    return await asyncio.to_thread(lift_finding, desk.project, finding)


@router.post("/runs/{which}/findings/{finding}/apply", status_code=202)
async def apply(which: KnownRun, seen: KnownFinding, desk: TheDesk, _visitor: Admin) -> Started:
    """Apply a suggested fix, repeat the checks, and deliver the result if nothing got worse."""
    name = seen.finding.fingerprint
    await asyncio.to_thread(finding_with_fix, desk.project, TraceId(which), name, suggested=True)
    desk.launcher.take(TraceId(which), name)
    return Started(started=name)


@router.post("/runs/{which}/findings/{finding}/rewrite", status_code=202)
async def rewrite(
    which: KnownRun, seen: KnownFinding, body: OwnFix, desk: TheDesk, _visitor: Admin
) -> Started:
    """Apply your own fix, repeat the checks, and deliver the result if nothing got worse."""
    name = seen.finding.fingerprint
    await asyncio.to_thread(finding_with_fix, desk.project, TraceId(which), name, suggested=False)
    desk.launcher.rewrite(TraceId(which), name, body.patch)
    return Started(started=name)


@router.get("/runs/{which}/comments")
def comments(which: KnownRun, desk: TheDesk, _visitor: Reader) -> list[Comment]:
    """Return what people said about lines of a run's change, oldest first."""
    return list(comments_of(desk.project, TraceId(which)))


@router.post("/runs/{which}/comments", status_code=201)
async def comment(which: KnownRun, body: Remark, desk: TheDesk, _visitor: Answerer) -> Outcome:
    """Comment on a line of a run's change; later reviews receive the comment."""
    place = f"{body.file}:{body.line}"
    given = (desk.project, TraceId(which), place, body.text, body.iteration)
    return outcome(await asyncio.to_thread(add_comment, *given))


@router.get("/feedback")
def feedback(
    desk: TheDesk, _visitor: Reader, asked: Annotated[FeedbackQuery, Query()]
) -> list[FeedbackEntry]:
    """Return the last of what people said and did, oldest first: by person, finding, gate and run."""
    return list(list_feedback(desk.project, asked, asked.most))


@router.get("/work")
def work(desk: TheDesk, _visitor: Reader) -> Work:
    """Return the commands that the dashboard started and those that failed; runs are in the record."""
    return Work(working=tuple(desk.launcher.working), failed=tuple(desk.launcher.failed))


def outcome(decided: DecisionOutcome) -> Outcome:
    """Put what came of a decision into the shape of the API."""
    return Outcome(body=decided.body, moved=decided.moved, learnt=decided.learnt)


def _shown(seen: FindingView, decided: dict[str, tuple[DecisionLine, ...]]) -> FindingShown:
    name = seen.finding.fingerprint
    return FindingShown(
        id=name, iteration=seen.iteration, finding=seen.finding, decided=decided.get(name, ())
    )
