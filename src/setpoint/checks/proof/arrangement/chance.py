"""Run the tests that a change adds many times: one that fails now and then proves nothing.

pytest runs them in one process, for a few seconds; other runners start again a few times. A test that fails
each time once it has run depends on what it left behind, which is not chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from setpoint.checks.proof.arrangement.neutral_place import NeutralPlace
from setpoint.checks.proof.arrangement.plain_pytest import address, started_pytest
from setpoint.checks.suites.pytest import Runner
from setpoint.model.evidence import Outcome

_MOST_TESTS = 20
_STARTS = 3
"""How often a runner that repeats nothing by itself is started again."""
_MODULE = "setpoint_again"
_PLUGIN = """\
import copy
from time import monotonic

import pytest

_TIMES, _SECONDS = 100, 4.0
_began = []
_known = set()


def pytest_collection_modifyitems(items):
    once = [item for item in items if isinstance(item, pytest.Function)]
    for _ in range(_TIMES):
        for item in once:
            again = copy.copy(item)
            again._initrequest()
            _known.add(id(again))
            items.append(again)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    _began.append(monotonic())
    return True if id(item) in _known and _began[-1] - _began[0] > _SECONDS else None
"""


async def by_chance_in_python(runner: Runner, place: NeutralPlace, tests: Collection[str]) -> dict[str, str]:
    """Repeat tests of pytest on the result; return those that pass after they failed, with how often."""
    asked = sorted(tests)[:_MOST_TESTS]
    if not asked:
        return {}
    await place.hold(place.subject.place.commit)
    (place.tree / f"{_MODULE}.py").write_text(_PLUGIN, encoding="utf-8")
    again = replace(runner, args=(*runner.args, "-p", _MODULE))
    named = {address(test): test for test in asked}
    runs: dict[str, list[Outcome]] = defaultdict(list)
    for where, outcome in (await started_pytest(again, place, asked, 1)).cases:
        if where in named:
            runs[named[where]].append(outcome)
    return {test: _told(found) for test, found in runs.items() if _by_chance(found)}


async def by_chance_elsewhere(
    run: Callable[[frozenset[str]], Awaitable[dict[str, str]]], tests: frozenset[str]
) -> dict[str, str]:
    """Start tests of other languages a few times more; return those that fail in some runs alone.

    `run` runs tests once, and returns those that do not pass.
    """
    asked = frozenset(sorted(tests)[:_MOST_TESTS])
    if not asked:
        return {}
    wrong = [await run(asked) for _ in range(_STARTS)]
    often = {test: sum(test in each for each in wrong) for test in asked}
    return {test: f"fails in {times} of {_STARTS} more runs" for test, times in often.items() if times}


def _by_chance(found: list[Outcome]) -> bool:
    first = next((at for at, outcome in enumerate(found) if outcome.red), len(found))
    return any(outcome is Outcome.PASSED for outcome in found[first + 1 :])


def _told(found: list[Outcome]) -> str:
    red = sum(outcome.red for outcome in found)
    return f"fails in {red} of {len(found)} runs on the same tree"
