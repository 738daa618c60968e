import pytest

from setpoint.durable.inline import Crash, InlineDurable
from setpoint.testing.contracts.counted_run import Answer, Count, Counter

pytestmark = pytest.mark.smoke


async def loop(durable: InlineDurable, counter: Counter) -> str:
    await durable.step("plan", counter.step("plan"), Count)
    answer = await durable.wait_for("gate", Answer, timeout_s=3600)
    done = await durable.step("make", counter.step("make"), Count)
    return f"{done.times} {answer.text if answer else 'nobody'}"


@pytest.mark.parametrize(
    ("crash", "calls"),
    [
        ({"before": "plan"}, ["plan", "make"]),
        ({"after": "plan"}, ["plan", "make"]),
        ({"before": "wait:gate"}, ["plan", "make"]),
        ({"before": "make"}, ["plan", "make"]),
        ({"after": "make"}, ["plan", "make"]),
    ],
)
async def test_after_a_crash_the_same_engine_goes_on(
    crash: dict[str, str], calls: list[str], tmp_path
) -> None:
    durable, counter = InlineDurable(), Counter(tmp_path)
    durable.send("gate", Answer(text="yes"))
    durable.crash(**crash)
    with pytest.raises(Crash):
        await loop(durable, counter)
    assert await loop(durable, counter) == "1 yes"
    assert durable.calls == calls
    assert durable.steps == ("plan", "make")


async def test_time_can_be_up_without_waiting_for_it(tmp_path) -> None:
    durable = InlineDurable()
    durable.expire("gate")
    assert await loop(durable, Counter(tmp_path)) == "1 nobody"


async def test_a_crash_cannot_be_caught_as_an_error() -> None:
    assert not issubclass(Crash, Exception)
