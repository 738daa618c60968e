"""What people added to an order since it was given: released paths, and acceptance commands."""

from __future__ import annotations

from collections.abc import Sequence
from glob import escape

from setpoint.model.events import Event
from setpoint.model.events.requests import ChangeSettled
from setpoint.model.facts.human_answers import acceptance_given, edited_files
from setpoint.model.run import RunOrder


def settled_requests(events: Sequence[Event]) -> tuple[ChangeSettled, ...]:
    """Return what was decided, oldest first."""
    return tuple(event.body for event in events if isinstance(event.body, ChangeSettled))


def released(order: RunOrder, events: Sequence[Event]) -> RunOrder:
    """Return the order with what people have added since: released paths, and acceptance commands."""
    more = [each for each in acceptance_given(events) if each not in order.story.acceptance]
    if more:
        asked = {"acceptance": (*order.story.acceptance, *more)}
        order = order.model_copy(update={"story": order.story.model_copy(update=asked)})
    paths = [path for body in settled_requests(events) if body.granted for path in body.paths]
    paths += edited_files(events)  # what a person changed is not put back as if the maker had done it
    if not paths:
        return order
    may_change = (*order.story.may_change, *(escape(path) for path in paths))
    return order.model_copy(update={"story": order.story.model_copy(update={"may_change": may_change})})
