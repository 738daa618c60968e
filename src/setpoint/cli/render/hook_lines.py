"""Describe in one line what a user's own agent had checked, suggested or started."""

from __future__ import annotations

from setpoint.cli.render.line import Line
from setpoint.model.events.hooks import AboutHooks
from setpoint.model.events.own_agents import (
    AboutOwnAgents,
    FeedbackSuggested,
    SuggestedAction,
    SuggestionSettled,
)
from setpoint.model.hooks import CheckState

_STYLES = {CheckState.PASSED: "green", CheckState.FAILED: "red", CheckState.NOT_MEASURED: "yellow"}


def of_hook(body: AboutHooks) -> Line:
    """Return the line for a check, which never verifies anything."""
    if body.state is CheckState.BEGUN:
        return Line(f"check of {body.agent}: begun", "dim")
    became = f"sent back ({body.blocks})" if body.blocked else "allowed to stop"
    text = f"check of {body.agent}: {body.state} in {body.took_s:.1f} s; {became}"
    return Line(text, _STYLES[body.state], more=body.text)


def of_own_agent(body: AboutOwnAgents) -> Line:
    """Return the line for what an agent of the user had recorded, or a person decided about it."""
    if isinstance(body, SuggestionSettled):
        return Line(f"{body.by} {'confirms' if body.confirmed else 'refuses'} {body.suggestion}", "cyan")
    if isinstance(body, FeedbackSuggested):
        place = f"{body.file}:{body.line}" if body.file else ""
        about = place if body.action is SuggestedAction.COMMENT else f"{body.finding} ({body.message})"
        verb = "on" if body.action is SuggestedAction.COMMENT else "to dismiss"
        return Line(f"{body.suggestion}: {body.client} suggests {verb} {about}: {body.text}", "yellow")
    return Line(f"{body.client} had a run started (at most ${body.max_cost_usd:.2f}): {body.request}", "cyan")
