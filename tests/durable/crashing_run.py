"""A run in a process of its own that dies where it is told to: `crashing_run.py FOLDER WHERE`.

Three steps and a wait; `WHERE` is in-step, between-steps, in-wait, hang or none. With `none` the run goes to
its end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from setpoint.durable.dbos import DbosEngine
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.ports import Durable
from setpoint.testing.contracts.counted_run import Answer, Count, Counter, order, outcome


def main() -> None:
    folder, where = Path(sys.argv[1]), sys.argv[2]
    counter = Counter(folder)

    def die(place: str) -> None:
        if where == place:
            os.kill(os.getpid(), signal.SIGKILL)

    async def second() -> Count:
        result = counter.count("second")
        die("in-step")
        if where == "hang":
            await hang(folder)
        return result

    async def body(_: RunOrder, durable: Durable) -> RunOutcome:
        first = await durable.step("first", counter.step("first"), Count)
        die("between-steps")
        then = await durable.step("second", second, Count)
        (folder / "waiting").touch()
        answer = await durable.wait_for("gate", Answer, timeout_s=3600 if where == "in-wait" else 1)
        last = await durable.step("third", counter.step("third"), Count)
        said = answer.text if answer else "nobody"
        return outcome(f"{first.times} {then.times} {last.times} {said}")

    ended = asyncio.run(DbosEngine(folder / "state").drive(order(), body))
    print(ended.reason)


async def hang(folder: Path) -> None:
    sleeper = await asyncio.create_subprocess_exec("sleep", "300")
    (folder / "hangs").write_text(str(sleeper.pid), "ascii")
    try:
        await sleeper.wait()
    finally:
        sleeper.kill()
        await sleeper.wait()


if __name__ == "__main__":
    # A shell without job control starts what it puts into the background with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
