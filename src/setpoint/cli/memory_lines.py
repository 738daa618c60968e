"""One line of text for each event about memory and for what people said of a run."""

from __future__ import annotations

from typing import assert_never

from setpoint.cli.shown import Line
from setpoint.domain import memory_events as m


def of_memory(body: m.AboutMemory | m.Feedback) -> Line:
    """Say in one line what happened: the text, a style, and whether only a close look needs it."""
    if isinstance(body, m.Feedback):
        return Line(_of_feedback(body), "cyan")
    match body:
        case m.MemoryRecalled():
            return _recalled(body)
        case m.LearningsJudged():
            followed = [each for each in body.items if each.followed]
            told = "; ".join(f"{each.learning} ({each.how})" for each in followed) or "none"
            return Line(f"of what was recalled, followed: {told}", "", detail=not followed)
        case m.ReflectionCompleted():
            return _reflected(body)
        case m.ReflectionAnswered() | m.ReflectionSkipped():
            return Line(_not_reflected(body), "", detail=True)
        case m.ConfidenceIncreased() | m.ConfidenceDecreased():
            text = f"belief in {body.learning}: {body.before:.2f} -> {body.after:.2f} ({body.reason})"
            return Line(text, "cyan")
        case _:
            assert_never(body)


def _recalled(body: m.MemoryRecalled) -> Line:
    held_back = len(body.items) - len(body.shown)
    more = f" ({held_back} held back by chance, to measure what it is worth)" if held_back else ""
    if not body.items:
        return Line(f"{body.phase}: memory has nothing that fits", "", detail=True)
    lines = "".join(f"\n  {each.learning} {each.confidence:.2f} {each.title}" for each in body.shown)
    return Line(f"{body.phase}: recalled {len(body.shown)}{more}{lines}", "magenta")


def _reflected(body: m.ReflectionCompleted) -> Line:
    if not body.titles:
        told = f"advice: {body.advice}" if body.advice else "nothing notable"
        return Line(f"reflection ({body.trigger}): {told}", "magenta", detail=not body.advice)
    lines = "".join(f"\n  {name} {title}" for name, title in zip(body.learnings, body.titles, strict=True))
    advice = f"\n  advice: {body.advice}" if body.advice else ""
    return Line(f"reflection by {body.by} ({body.trigger}): {len(body.titles)}{lines}{advice}", "magenta")


def _not_reflected(body: m.ReflectionAnswered | m.ReflectionSkipped) -> str:
    if isinstance(body, m.ReflectionSkipped):
        return f"no reflection ({body.trigger}): {body.reason}"
    told = f"none: {body.why}" if body.why else str(len(body.taught))
    return f"{body.agent} was asked what the run taught: {told}"


def _of_feedback(body: m.Feedback) -> str:
    match body:
        case m.FindingDismissed():
            why = f": {body.reason}" if body.reason else ""
            return f"{body.by} dismisses {body.finding} ({body.message}){why}"
        case m.FixApplied() | m.FixRewritten():
            did = "takes the fix of" if isinstance(body, m.FixApplied) else "rewrites the fix of"
            end = f"kept, on {body.branch}" if body.kept else f"not kept: {body.reason}"
            return f"{body.by} {did} {body.finding} in {body.file}: {end}"
        case m.HumanEdited():
            return f"{body.by} changed {', '.join(body.files)} by hand, answering {body.gate}"
        case m.CommentAdded():
            of = f" of iteration {body.iteration}" if body.iteration else ""
            return f"{body.by} on {body.file}:{body.line}{of}: {body.text}"
        case m.DeliveryJudged():
            files = f" ({', '.join(body.files)})" if body.files else ""
            return f"git shows: {body.branch} was {body.fate}{files} in {body.commit[:10]}"
        case _:
            assert_never(body)
