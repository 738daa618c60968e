"""What generators, iterators and coroutines give when they are driven to their end."""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import AsyncIterator, Iterator
from typing import Any

_MOST_ITEMS = 60
"""Items that are taken of what may never end."""
ITERATOR, COROUTINE, ASYNC_ITERATOR = "an iterator of", "a coroutine of", "an asynchronous iterator of"


def driven(value: Any) -> tuple[Any, str]:  # noqa: ANN401 - any value at all
    """Return what comes out of a value, and in words what it came out of; other values as they are.

    Items that came before an exception are part of it; where none came, the exception is raised.
    """
    if inspect.iscoroutine(value):
        return asyncio.run(value), COROUTINE
    if inspect.isasyncgen(value):
        return asyncio.run(_collected(value)), ASYNC_ITERATOR
    if hasattr(value, "__next__") and hasattr(value, "__iter__") and not hasattr(value, "read"):
        return _items(iter(value)), ITERATOR
    return value, ""


def _items(values: Iterator[Any]) -> list[Any]:
    items: list[Any] = []
    try:
        for each in itertools.islice(_returning(values), _MOST_ITEMS):
            items.append(each)  # noqa: PERF402 - what came before an exception is kept
    except Exception as error:
        if not items:
            raise
        items.append(f"raises {type(error).__qualname__}")
    return items


def _returning(values: Any) -> Iterator[Any]:  # noqa: ANN401 - an iterator, or a generator that returns
    """Yield items, and behind them what a generator returns."""
    returned = yield from values
    if returned is not None:
        yield ("returns", returned)


async def _collected(values: AsyncIterator[Any]) -> list[Any]:
    items: list[Any] = []
    try:
        async for each in values:
            items.append(each)
            if len(items) >= _MOST_ITEMS:
                break
    except Exception as error:
        if not items:
            raise
        items.append(f"raises {type(error).__qualname__}")
    return items
