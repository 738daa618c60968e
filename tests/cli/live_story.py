"""The events of a run under way, at given seconds, for tests of what is shown of it."""

from datetime import timedelta
from decimal import Decimal

from model.examples import AT, EXAMPLES, ORDER, a_snapshot
from setpoint.model.attempt import Breakage, BreakageKind, Mode, Recovery, ToolCall, Usage
from setpoint.model.events import Event
from setpoint.model.events.live import AgentSaid, ToolStarted
from setpoint.model.events.run import (
    AgentBroke,
    AgentFinished,
    AgentSpent,
    AgentStarted,
    IterationEvaluated,
    PhaseEntered,
    RunStarted,
    ToolExecuted,
)
from setpoint.model.ids import EventId

RACE = {"maker": "claude", "candidate:1": "claude", "candidate:2": "codex"}
READ = ToolCall(id="1", name="Read", kind="read", title="src/cart.py", files=("src/cart.py",))
EDIT = ToolCall(id="2", name="Edit", kind="edit", title="src/cart.py", files=("src/cart.py",))
BASH = ToolCall(
    id="3", name="Bash", kind="execute", title="python -m pytest tests/test_cart.py -q -x --no-header"
)
PLACE = {"phase": "implement", "iteration": 2}


def at(second):
    return AT + timedelta(seconds=second)


def told(*timed):
    """Return events of bodies with their seconds."""
    return tuple(
        Event(
            id=EventId(f"e{seq}"), trace_id=ORDER.trace_id, seq=seq, at=at(second), key=f"k{seq}", body=body
        )
        for seq, (second, body) in enumerate(timed, start=1)
    )


def started(label="implement-2", agent="claude"):
    return AgentStarted(**PLACE, label=label, attempt=1, agent=agent, mode=Mode.FIX)


def begins(call, label="implement-2"):
    return ToolStarted(**PLACE, label=label, attempt=1, call=call)


def ends(call, label="implement-2", *, ok=True, took_s=1.0):
    return ToolExecuted(**PLACE, label=label, call=call.model_copy(update={"ok": ok, "duration_s": took_s}))


def says(text, label="implement-2"):
    return AgentSaid(**PLACE, label=label, attempt=1, text=text)


def spends(cost, tokens, label="implement-2"):
    usage = Usage(
        cost_usd=Decimal(cost), input_tokens=tokens, output_tokens=0, scope="turn", priced_by="agent"
    )
    return AgentSpent(label=label, attempt=1, usage=usage)


def broke(wait_s, label="implement-2"):
    return AgentBroke(
        **PLACE,
        label=label,
        attempt=1,
        agent="claude",
        session="s",
        breakage=Breakage(kind=BreakageKind.RATE_LIMIT, message="429: too many requests"),
        then=Recovery.SAME_SESSION,
        wait_s=wait_s,
    )


def opening(agents=None):
    """Return the bodies up to the second iteration, the first of which was sent back."""
    order = ORDER.model_copy(update={"agents": agents or {"maker": "claude"}})
    return (
        (0, RunStarted(order=order, workdir="/copy")),
        (28, EXAMPLES["baseline.measured"]),
        (30, PhaseEntered(phase="implement", iteration=1)),
        (31, started("implement-1").model_copy(update={"iteration": 1, "mode": Mode.FRESH})),
        (70, AgentFinished(phase="implement", iteration=1, snapshot=a_snapshot(None))),
        (71, PhaseEntered(phase="evaluate", iteration=1)),
        (90, IterationEvaluated(iteration=1, evaluation=EXAMPLES["iteration.evaluated"].evaluation)),
        (91, PhaseEntered(phase="implement", iteration=2)),
    )


def working(agents=None):
    """Return the events of a run whose agent waits for its tests."""
    return told(
        *opening(agents),
        (92, started()),
        (95, begins(READ)),
        (96, ends(READ)),
        (110, begins(EDIT)),
        (111, ends(EDIT)),
        (112, spends("0.0713", 18_400)),
        (113, says("I changed the rounding.\nNow the tests.")),
        (114, begins(BASH)),
    )


def waiting():
    """Return the events of a run whose agent met a limit after its tests had failed."""
    return working() + later((130, ends(BASH, ok=False, took_s=16)), (140, broke(300)))


def racing():
    """Return the events of two candidates at work."""
    one, two = "implement-2-c1", "implement-2-c2"
    return told(
        *opening(RACE),
        (92, started(one)),
        (92, started(two, "codex")),
        (95, begins(READ, one)),
        (96, ends(READ, one)),
        (99, begins(BASH, two)),
    )


def later(*timed):
    """Return events that follow those of `working`."""
    offset = len(working())
    return tuple(
        event.model_copy(update={"seq": event.seq + offset, "key": f"later-{event.key}"})
        for event in told(*timed)
    )
