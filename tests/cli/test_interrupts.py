"""Ctrl-C is answered before what runs has ended, and long checks show that they go on."""

import asyncio
import threading

import pytest

from setpoint.checks.under_way import under_way
from setpoint.cli.render.interrupts import _answering, beating


async def test_an_interruption_is_answered_before_the_work_has_ended(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told_when_ending = ""

    async def work() -> None:
        nonlocal told_when_ending
        try:
            await asyncio.sleep(60)
        finally:
            told_when_ending = capsys.readouterr().err

    running = asyncio.create_task(_answering(work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert told_when_ending.startswith("interrupted: ending what runs")


async def test_work_that_ends_by_itself_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> int:
        return 3

    assert await _answering(work()) == 3
    assert capsys.readouterr().err == ""


def test_a_block_beats_while_checks_run() -> None:
    heard, told = threading.Event(), list[str]()

    def tell(now: str) -> None:
        told.append(now)
        heard.set()

    with beating(tell, 0.01), under_way("pytest", 0.0):
        assert heard.wait(10)
    assert told[0].startswith("pytest, ")
