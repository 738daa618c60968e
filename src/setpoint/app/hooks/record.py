"""The record of checks that hooks made, in the event log of the project."""

from __future__ import annotations

from datetime import UTC, datetime

from setpoint.model.events import Event
from setpoint.model.events.hooks import TRACE, TurnChecked
from setpoint.model.ids import sortable
from setpoint.wiring.project import Project


def record(project: Project, checked: TurnChecked) -> None:
    """Append a check to the log."""
    project.log.append(TRACE, sortable("check", datetime.now(UTC)), [checked])


def recorded(project: Project, most: int) -> tuple[Event, ...]:
    """Return the newest checks, the oldest of them first."""
    return project.log.replay(TRACE)[-most:]
