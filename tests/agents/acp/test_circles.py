"""An agent that makes the same call over and over has its turn ended, and can be asked again."""

from __future__ import annotations

from setpoint.model.attempt import BreakageKind, Stop
from setpoint.testing import SilentObserver

SAME = {
    "call": {"name": "bash", "title": "make", "input": {"command": "make"}, "output": "no rule", "ok": False}
}


async def test_the_turn_is_ended_and_the_next_one_is_worked_on(scripted, brief):
    agent = scripted(
        [{**SAME, "times": 3}, {"sleep": 30}], [{"expect": "another way"}, {"say": "done"}], counter="count"
    )
    seen = SilentObserver(same_calls=3)

    first = await agent.attempt(brief("fix calc"), seen)
    second = await agent.attempt(brief("another way"), SilentObserver(same_calls=3))

    assert (first.stop, first.breakage) == (Stop.CANCELLED, None)
    assert len({call.result_hash for call in seen.calls[:3]}) == 1
    assert (second.stop, second.text) == (Stop.END_TURN, "done")


async def test_calls_that_tell_nothing_of_themselves_end_no_turn(scripted, brief):
    agent = scripted([{"call": {"name": "bash", "title": "make"}, "times": 9}, {"say": "done"}])

    attempt = await agent.attempt(brief("fix calc"), SilentObserver(same_calls=3))

    assert (attempt.stop, attempt.tool_calls) == (Stop.END_TURN, 9)


async def test_what_a_cancelled_turn_cost_is_counted(scripted, brief):
    usage = {"usage": {"input": 700, "output": 30}}
    agent = scripted([usage, {**SAME, "times": 3}, {"sleep": 30}], quirks={"usage_scope": "turn"})

    attempt = await agent.attempt(brief("fix calc"), SilentObserver(same_calls=3))

    assert (attempt.stop, attempt.usage.input_tokens, attempt.usage.output_tokens) == (
        Stop.CANCELLED,
        700,
        30,
    )


async def test_what_a_turn_cost_that_took_too_long_is_counted_also_by_session(scripted, brief):
    first, second = ({"usage": {"input": each, "output": 10}} for each in (500, 1200))
    agent = scripted([first], [second, {"sleep": 30}], quirks={"usage_scope": "session"})

    await agent.attempt(brief(), SilentObserver())
    attempt = await agent.attempt(brief(wall_s=1.5), SilentObserver())

    assert attempt.breakage is not None
    assert (attempt.breakage.kind, attempt.usage.input_tokens) == (BreakageKind.TIMEOUT, 700)
