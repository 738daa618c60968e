from __future__ import annotations

from datetime import UTC, datetime

from setpoint.model.attempt import Breakage, BreakageKind, Mode, Recovery, ToolCall
from setpoint.model.events import Body, Event
from setpoint.model.events.run import AgentBroke, AgentStarted, ToolExecuted
from setpoint.model.facts.sound_calls import sound_calls


def _events(*bodies: Body) -> list[Event]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Event(trace_id="run-1", seq=number, id=str(number), key=str(number), at=at, body=body)
        for number, body in enumerate(bodies, start=1)
    ]


def _started(label: str, attempt: int) -> AgentStarted:
    return AgentStarted(
        phase="implement", iteration=1, label=label, attempt=attempt, agent="a", mode=Mode.FRESH
    )


def _called(label: str, title: str) -> ToolExecuted:
    call = ToolCall(id=title, name="shell", title=title, ok=False)
    return ToolExecuted(phase="implement", iteration=1, label=label, call=call)


def test_calls_of_a_turn_that_broke_are_left_out_and_those_beside_it_stay() -> None:
    broke = AgentBroke(
        phase="implement",
        iteration=1,
        label="a",
        attempt=1,
        agent="a",
        session="s",
        breakage=Breakage(kind=BreakageKind.NETWORK, message="cut"),
        then=Recovery.NEW_SESSION,
    )
    events = _events(
        _started("a", 1),
        _called("a", "lost"),
        _called("b", "beside"),
        broke,
        _started("a", 2),
        _called("a", "kept"),
    )
    assert [body.call.title for body in sound_calls(events)] == ["beside", "kept"]
