"""One line of text for each event about memory and for what people said of a run."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from setpoint.domain import memory_events as m


class _Shown(NamedTuple):
    text: str
    style: str = ""
    detail: bool = False


def of_memory(body: m.AboutMemory | m.Feedback) -> _Shown:
    """Say in one line what happened: the text, a style, and whether only a close look needs it."""
    if isinstance(body, m.Feedback):
        return _Shown(_of_feedback(body), "cyan")
    match body:
        case m.MemoryRecalled():
            return _recalled(body)
        case m.LearningsJudged():
            followed = [each for each in body.items if each.followed]
            told = "; ".join(f"{each.learning} ({each.how})" for each in followed) or "none"
            return _Shown(f"of what was recalled, followed: {told}", "", detail=not followed)
        case m.ReflectionCompleted():
            return _reflected(body)
        case m.ReflectionAnswered() | m.ReflectionSkipped():
            return _Shown(_not_reflected(body), "", detail=True)
        case m.ConfidenceIncreased() | m.ConfidenceDecreased():
            text = f"belief in {body.learning}: {body.before:.2f} -> {body.after:.2f} ({body.reason})"
            return _Shown(text, "cyan")
        case _:
            assert_never(body)


def _recalled(body: m.MemoryRecalled) -> _Shown:
    held_back = len(body.items) - len(body.shown)
    more = f" ({held_back} held back by chance, to measure what it is worth)" if held_back else ""
    if not body.items:
        return _Shown(f"{body.phase}: memory has nothing that fits", "", detail=True)
    lines = "".join(f"\n  {each.learning} {each.confidence:.2f} {each.title}" for each in body.shown)
    return _Shown(f"{body.phase}: recalled {len(body.shown)}{more}{lines}", "magenta")


def _reflected(body: m.ReflectionCompleted) -> _Shown:
    if not body.titles:
        told = f"advice: {body.advice}" if body.advice else "nothing notable"
        return _Shown(f"reflection ({body.trigger}): {told}", "magenta", detail=not body.advice)
    lines = "".join(f"\n  {name} {title}" for name, title in zip(body.learnings, body.titles, strict=True))
    advice = f"\n  advice: {body.advice}" if body.advice else ""
    return _Shown(f"reflection by {body.by} ({body.trigger}): {len(body.titles)}{lines}{advice}", "magenta")


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
            return f"{body.by} on {body.file}:{body.line}: {body.text}"
        case m.DeliveryJudged():
            files = f" ({', '.join(body.files)})" if body.files else ""
            return f"git shows: {body.branch} was {body.fate}{files} in {body.commit[:10]}"
        case _:
            assert_never(body)
