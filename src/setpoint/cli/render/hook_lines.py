"""Describe each check of an agent's turn in one line."""

from __future__ import annotations

from setpoint.cli.render.line import Line
from setpoint.model.events.hooks import AboutHooks
from setpoint.model.hooks import CheckState

_STYLES = {CheckState.PASSED: "green", CheckState.FAILED: "red", CheckState.NOT_MEASURED: "yellow"}


def of_hook(body: AboutHooks) -> Line:
    """Return the line for a check, which never verifies anything."""
    became = f"sent back ({body.blocks})" if body.blocked else "allowed to stop"
    text = f"check of {body.agent}: {body.state} in {body.took_s:.1f} s; {became}"
    return Line(text, _STYLES[body.state], more=body.text)
