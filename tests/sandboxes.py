"""The means of confinement, for tests to be made with each of them."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest

from setpoint.model.config.sandbox import Means
from setpoint.system.processes import Trial, trial


@cache
def tried(means: Means) -> Trial:
    """Try a means once for all tests."""
    return asyncio.run(trial(means))


def usable(means: Means) -> Means:
    """Give the means, or skip where this machine has it not; .ci/run installs what can be installed."""
    if why_not := tried(means).why_not:
        pytest.skip(f"{means} cannot be used here: {why_not}")
    return means
