"""Describe each event about learnings and feedback in one line."""

from __future__ import annotations

from typing import assert_never

from setpoint.cli.render.line import Line
from setpoint.model.events import learning as m
from setpoint.model.events import people
from setpoint.model.wording import counted


def of_memory(body: m.AboutMemory | people.Feedback) -> Line:
    """Return the line for an event about learnings or feedback."""
    if isinstance(body, people.Feedback):
        return Line(_of_feedback(body), "cyan")
    match body:
        case m.MemoryRecalled():
            return _recalled(body)
        case m.LearningsJudged():
            followed = [each for each in body.items if each.followed]
            told = "; ".join(f"{each.learning} ({each.how})" for each in followed) or "none"
            return Line(f"recalled learnings that were followed: {told}", "", detail=True)
        case m.ReflectionCompleted():
            return _reflected(body)
        case m.ReflectionAnswered() | m.ReflectionSkipped():
            return Line(_not_reflected(body), "", detail=True)
        case m.ConfidenceIncreased() | m.ConfidenceDecreased():
            text = f"confidence in {body.learning}: {body.before:.2f} -> {body.after:.2f} ({body.reason})"
            return Line(text, "cyan", detail=True)
        case _:
            assert_never(body)


def _recalled(body: m.MemoryRecalled) -> Line:
    held_back = len(body.items) - len(body.shown)
    more = f" ({held_back} held back at random, to measure the effect)" if held_back else ""
    if not body.items:
        return Line(f"{body.phase}: no matching learnings", "", detail=True)
    lines = "".join(f"\n  {each.learning} {each.confidence:.2f} {each.title}" for each in body.shown)
    return Line(f"{body.phase}: recalled {counted(len(body.shown), 'learning')}{more}", "magenta", more=lines)


def _reflected(body: m.ReflectionCompleted) -> Line:
    if not body.titles:
        told = f"advice: {body.advice}" if body.advice else "no learnings"
        return Line(f"reflection ({body.trigger}): {told}", "magenta", detail=not body.advice)
    lines = "".join(f"\n  {name} {title}" for name, title in zip(body.learnings, body.titles, strict=True))
    advice = f"\n  advice: {body.advice}" if body.advice else ""
    count = counted(len(body.titles), "learning")
    return Line(f"reflection by {body.by}: {count} to review{advice}", "magenta", more=lines)


def _not_reflected(body: m.ReflectionAnswered | m.ReflectionSkipped) -> str:
    if isinstance(body, m.ReflectionSkipped):
        return f"no reflection ({body.trigger}): {body.reason}"
    told = f"none: {body.why}" if body.why else str(len(body.taught))
    return f"{body.agent} proposes learnings: {told}"


def _of_dismissal(body: people.FindingDismissed | people.FindingLifted) -> str:
    if isinstance(body, people.FindingLifted):
        return f"{body.by} lifts the dismissal of {body.finding}: it counts again"
    where = f" in {body.place}" if body.place else ""
    until = f", until {body.until:%Y-%m-%d}" if body.until else ""
    why = f": {body.reason}" if body.reason else ""
    return f"{body.by} dismisses {body.finding} ({body.message}){where}{until}{why}"


def _of_feedback(body: people.Feedback) -> str:
    match body:
        case people.FindingDismissed() | people.FindingLifted():
            return _of_dismissal(body)
        case people.FixApplied() | people.FixRewritten():
            did = "applies the fix of" if isinstance(body, people.FixApplied) else "rewrites the fix of"
            end = f"kept, on {body.branch}" if body.kept else f"not kept: {body.reason}"
            return f"{body.by} {did} {body.finding} in {body.file}: {end}"
        case people.HumanEdited():
            return f"{body.by} changed {', '.join(body.files)} by hand, answering {body.gate}"
        case people.CommentAdded():
            of = f" of iteration {body.iteration}" if body.iteration else ""
            return f"{body.by} on {body.file}:{body.line}{of}: {body.text}"
        case people.DeliveryJudged():
            files = f" ({', '.join(body.files)})" if body.files else ""
            return f"git shows: {body.branch} was {body.fate}{files} in {body.commit[:10]}"
        case people.ReviewGiven():
            said = f": {body.text}" if body.text else ""
            return f"{body.by} on pull request {body.number}: {body.word.replace('_', ' ')}{said}"
        case _:
            assert_never(body)
