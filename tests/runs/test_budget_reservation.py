"""Attempts that work at the same time do not spend the same dollar."""

import asyncio
from decimal import Decimal

from setpoint.runs.budget_reservation import BudgetReservation, Free


class Till:
    """What a run has left."""

    def __init__(self, left, **flying):
        self.left = left
        self.flying = {label: Decimal(cost) for label, cost in flying.items()}

    def free(self):
        return Free(None if self.left is None else Decimal(self.left), self.flying)


async def begun(*wanted, till):
    """Begin attempts of an expected cost; gives those that run, and a way to end them."""
    running, ends, reservation = [], {}, BudgetReservation()

    async def one(label, expected):
        ends[label] = asyncio.Event()
        async with reservation.reserved(label, Decimal(expected), till.free):
            running.append(label)
            await ends[label].wait()
        running.remove(label)

    tasks = [asyncio.create_task(one(label, expected)) for label, expected in wanted]
    await settle()

    async def end(label):
        ends[label].set()
        await settle()

    return running, end, tasks


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


async def test_what_does_not_fit_beside_others_waits_for_one_of_them():
    till = Till("1.00")
    running, end, tasks = await begun(("a", "0.4"), ("b", "0.4"), ("c", "0.4"), till=till)
    assert running == ["a", "b"]
    till.left = "0.60"
    await end("a")
    assert running == ["b"]
    till.left = "0.50"
    await end("b")
    assert running == ["c"]
    await end("c")
    await asyncio.gather(*tasks)


async def test_what_was_spent_of_a_reservation_is_not_set_aside_twice():
    running, end, tasks = await begun(("a", "0.5"), ("b", "0.5"), till=Till("0.6", a="0.4"))
    assert running == ["a", "b"]
    for label in ("a", "b"):
        await end(label)
    await asyncio.gather(*tasks)


async def test_alone_an_attempt_always_begins():
    running, end, _ = await begun(("a", "5"), till=Till("0.1"))
    assert running == ["a"]
    await end("a")
    assert running == []


async def test_without_a_limit_nothing_waits():
    running, end, tasks = await begun(("a", "5"), ("b", "5"), till=Till(None))
    assert running == ["a", "b"]
    for label in ("a", "b"):
        await end(label)
    await asyncio.gather(*tasks)


async def test_an_attempt_that_is_cancelled_gives_back_what_was_set_aside():
    running, end, (first, second) = await begun(("a", "0.5"), ("b", "0.5"), till=Till("0.5"))
    first.cancel()
    await settle()
    assert "b" in running
    await end("b")
    await second
