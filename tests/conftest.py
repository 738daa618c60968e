"""What holds for all tests."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

import tiers
from sandboxes import usable
from setpoint.model.config.sandbox import Means

# A slow machine is no fault of the code: nothing in the tests depends on wall time. In CI the examples are
# the same each time, so that what fails there fails here as well.
settings.register_profile("setpoint", deadline=None, max_examples=60)
settings.register_profile("ci", settings.get_profile("setpoint"), derandomize=True, database=None)
settings.register_profile("long", settings.get_profile("ci"), max_examples=600)
settings.load_profile("ci" if os.environ.get("CI") else "setpoint")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-durations", action="store_true", help="write tests/durations.json anew")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--record-durations"):
        config.pluginmanager.register(tiers.Meter())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(tiers.Recorder())


@pytest.hookimpl(tryfirst=True)  # before pytest drops what `-m "not slow"` leaves out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tiers.mark_slow(items)
    if hasattr(config, "workerinput"):
        tiers.longest_files_first(items)


# A shell that starts the tests in the background has them ignore interruptions, and whatever they start, too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the copies and hidden tests that tests make out of the folders of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SETPOINT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("SETPOINT_HIDDEN_DIR", str(tmp_path_factory.mktemp("hidden")))
        # Scripted agents answer the prompts that their test expects, and no other.
        patch.setenv("SETPOINT_AGENTS__TEST_DESIGNER", "rules")
        yield


@pytest.fixture(params=[Means.LANDLOCK, Means.BWRAP])
def means(request: pytest.FixtureRequest) -> Means:
    """Each means of confinement that works here."""
    return usable(request.param)
