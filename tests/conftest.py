"""What holds for all tests."""

import os
import signal

import pytest
from hypothesis import settings

from sandboxes import usable
from setpoint.domain.sandbox import Means

# A slow machine is no fault of the code: nothing in the tests depends on wall time. In CI the examples are
# the same each time, so that what fails there fails here as well.
settings.register_profile("setpoint", deadline=None, max_examples=60)
settings.register_profile("ci", settings.get_profile("setpoint"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "setpoint")


# A shell that starts the tests in the background has them ignore interruptions, and whatever they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=[Means.LANDLOCK, Means.BWRAP])
def means(request: pytest.FixtureRequest) -> Means:
    """Each means of confinement that works here."""
    return usable(request.param)
