"""An agent that makes the same call over and over has its turn ended, and can be asked again."""

from __future__ import annotations

from setpoint.domain.attempt import Stop
from setpoint.testing import SilentObserver

SAME = {
    "call": {"name": "bash", "title": "make", "input": {"command": "make"}, "output": "no rule", "ok": False}
}


def limited(brief, prompt="fix calc"):
    made = brief(prompt)
    return made.model_copy(update={"limits": made.limits.model_copy(update={"same_calls": 3})})


async def test_the_turn_is_ended_and_the_next_one_is_worked_on(scripted, brief):
    agent = scripted(
        [{**SAME, "times": 3}, {"sleep": 30}], [{"expect": "another way"}, {"say": "done"}], counter="count"
    )
    seen = SilentObserver()

    first = await agent.attempt(limited(brief), seen)
    second = await agent.attempt(limited(brief, "another way"), SilentObserver())

    assert (first.stop, first.breakage) == (Stop.CANCELLED, None)
    assert len({call.result_hash for call in seen.calls[:3]}) == 1
    assert (second.stop, second.text) == (Stop.END_TURN, "done")


async def test_calls_that_tell_nothing_of_themselves_end_no_turn(scripted, brief):
    agent = scripted([{"call": {"name": "bash", "title": "make"}, "times": 9}, {"say": "done"}])

    attempt = await agent.attempt(limited(brief), SilentObserver())

    assert (attempt.stop, attempt.tool_calls) == (Stop.END_TURN, 9)
