"""Requests for protected files that were settled, and the paths they released."""

from __future__ import annotations

from collections.abc import Sequence
from glob import escape

from setpoint.model.events import Event
from setpoint.model.events.requests import ChangeSettled
from setpoint.model.facts.human_answers import edited_files
from setpoint.model.run import RunOrder


def settled_requests(events: Sequence[Event]) -> tuple[ChangeSettled, ...]:
    """Return what was decided, oldest first."""
    return tuple(event.body for event in events if isinstance(event.body, ChangeSettled))


def released(order: RunOrder, events: Sequence[Event]) -> RunOrder:
    """Return the order with the paths that people have released since it was given."""
    paths = [path for body in settled_requests(events) if body.granted for path in body.paths]
    paths += edited_files(events)  # what a person changed is not put back as if the maker had done it
    if not paths:
        return order
    granted = (*order.story.granted, *(escape(path) for path in paths))
    return order.model_copy(update={"story": order.story.model_copy(update={"granted": granted})})
