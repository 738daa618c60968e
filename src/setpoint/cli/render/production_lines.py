"""Describe each production event in one line."""

from __future__ import annotations

from typing import assert_never

from setpoint.cli.render.line import Line
from setpoint.model.events import production as p


def of_production(body: p.AboutProduction) -> Line:
    """Return the line for a production event."""
    match body:
        case p.Deployed():
            made = body.deployment
            shown = Line(f"{made.shown} runs in {made.environment} since {made.at:%Y-%m-%d %H:%M}Z", "cyan")
        case p.AnomalyDetected():
            seen = body.signal
            shown = Line(f"{seen.name} {seen.severity} from {seen.source}: {seen.title}", "red")
        case p.AnomalyEnded():
            shown = Line(f"{body.signal} is over", "green")
        case p.CauseSuspected():
            shown = _suspected(body)
        case p.StoryOpened() | p.StoryDeferred():
            shown = _of_story(body)
        case p.ProblemDecided():
            word = "is approved" if body.approved else "is dismissed"
            why = f": {body.reason}" if body.reason else ""
            shown = Line(f"{body.fingerprint} {word} ({body.by}{why})", "cyan")
        case p.FixDeployed() | p.FixHeld() | p.ProblemReturned():
            shown = _of_fix(body)
        case _:
            assert_never(body)
    return shown


def _of_fix(body: p.FixDeployed | p.FixHeld | p.ProblemReturned) -> Line:
    if isinstance(body, p.FixDeployed):
        made = body.deployment
        return Line(
            f"the fix of {body.fingerprint} ({body.run}) runs in {made.environment}: {made.shown}", "cyan"
        )
    if isinstance(body, p.FixHeld):
        return Line(f"the fix of {body.fingerprint} held: {body.reason}", "green")
    return Line(f"{body.fingerprint} is back, {body.story} is open again: {body.reason}", "red")


def _of_story(body: p.StoryOpened | p.StoryDeferred) -> Line:
    if isinstance(body, p.StoryDeferred):
        return Line(f"no story of {body.signal} before {body.until:%H:%M}Z: {body.reason}", "yellow")
    state = "approved" if body.approved else "waits for approval"
    return Line(f"story {body.story} of {body.signal}, {state}: {body.reason}", "yellow")


def _suspected(body: p.CauseSuspected) -> Line:
    made = body.hypothesis
    if not made.suspects:
        return Line(f"{body.signal}: no suspected commit: {'; '.join(made.notes)}", "", detail=True)
    first = made.suspects[0]
    return Line(
        f"{body.signal}: {first.commit[:10]} is suspected ({first.score:.2f}): {'; '.join(first.reasons)}",
        "magenta",
    )
