"""Whether changed settings of the tests demand nothing less: by their effect on the tests of the base.

With the new settings, on the code of the base, every test of the base has to end as well as it did, and tests
that must fail have to fail. What a setting loads or puts on the path is never accepted: it could decide how
tests end.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Mapping
from pathlib import Path

from setpoint.checks.integrity.thresholds import differences, lowered, surely_no_less
from setpoint.checks.suites.pytest import Runner, run_once
from setpoint.model.evidence import Outcome, TestReport
from setpoint.ports import Measured

_LOADS = (
    "-p",
    "-c",
    "-o",
    "--override-ini",
    "--rootdir",
    "--confcutdir",
    "--import-mode",
    "--noconftest",
    "--pyargs",
)
_LOADING_KEYS = frozenset({"pythonpath", "usefixtures", "required_plugins", "confcutdir", "rootdir"})
_PYTEST = frozenset({"pytest", "ini_options", "tool:pytest"})
_GREEN = frozenset({Outcome.PASSED, Outcome.XPASSED, Outcome.FLAKY, Outcome.ORDER_DEPENDENT})
_CANARIES = """\
import pytest


def test_asserts_{name}():
    value = 1
    assert value == 2


def test_raises_{name}():
    raise ValueError("{name}")


def test_expects_{name}():
    with pytest.raises(KeyError):
        pass
"""


def may_demand_no_less(path: str, before: str, after: str) -> bool:
    """Whether a change of settings can be measured by its effect, or surely demands nothing less."""
    if lowered(path, before, after):
        return False
    return all(
        surely_no_less(key, *values) or (bool(_PYTEST & set(key)) and not _loads(key, *values))
        for key, values in differences(path, before, after).items()
    )


def _loads(key: tuple[str, ...], before: object, after: object) -> bool:
    """Whether a setting of pytest loads code, or decides where code comes from."""
    if key[-1] in _LOADING_KEYS:
        return True
    if key[-1] != "addopts":
        return False
    old, new = [" ".join(each) if isinstance(each, list) else str(each or "") for each in (before, after)]
    changed = set(old.split()) ^ set(new.split())
    return any(
        word == each or word.startswith((f"{each}=", each) if len(each) == len("-p") else f"{each}=")
        for word in changed
        for each in _LOADS
    ) or any(not word.startswith("-") for word in changed)


async def with_less(
    runner: Runner, there: Measured, base: TestReport, settings: Mapping[str, str], tests: Collection[str]
) -> str:
    """Run the tests of the base with other settings; returns what they demand less, empty for nothing.

    `there` is the base, checked out; `tests` are files of its tests.
    """
    place, name = Path(there.copy.path), secrets.token_hex(4)
    for path, text in settings.items():
        await asyncio.to_thread((place / path).write_text, text, "utf-8", "surrogateescape")
    folder = min((Path(each).parent for each in tests), key=lambda each: len(each.parts))
    canaries = place / folder / f"test_{name}.py"
    await asyncio.to_thread(canaries.write_text, _CANARIES.format(name=name), "utf-8")
    _, suite, broken = await run_once(runner, there, None)
    if broken or suite.exit is None:
        return f"the tests cannot be run with them: {broken or 'the run did not end'}"
    worse = [
        test
        for test, how in base.outcomes.items()
        if "::" in test and how in _GREEN and suite.outcomes.get(test) not in _GREEN
    ]
    if worse:
        return f"{worse[0]} passed at the base, and with them it does not"
    held = {test: how for test, how in suite.outcomes.items() if name in test}
    if len(held) != _CANARIES.count("def test_") or not all(how.red for how in held.values()):
        return "with them a test that must fail does not fail"
    return ""
