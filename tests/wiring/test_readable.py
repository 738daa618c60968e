"""What is said of hidden tests that a maker could read."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.agents.registry import known
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.agents.selection import Agents
from setpoint.model.config.sandbox import Means
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.wiring import sandboxed_checks
from setpoint.wiring.sandboxed_checks import readable


@pytest.fixture
def told(tmp_path: Path):
    async def ask(maker: str = "claude", author: str = "claude", **sandbox: object) -> str:
        own = {"mine": {"command": ("author",)}}
        settings = Settings.model_validate({"sandbox": sandbox, "agent": own})
        agents = Agents(
            known(settings.agent),
            artifacts=Artifacts(tmp_path),
            scratch=tmp_path,
            sandbox=Sandbox(settings.sandbox),
        )
        return await readable(settings, agents, maker, author)

    return ask


@pytest.fixture
def _both(means: Means) -> None:
    """Skip where one of the means does not work."""


@pytest.mark.usefixtures("_both")
async def test_it_says_why_or_nothing(told) -> None:
    assert await told() == ""
    assert await told("rules", "rules") == ""
    assert await told(agents="none") == "it has no sandbox, by setting"
    assert await told("codex-cli") == "it has no sandbox, by setting"
    assert await told("rules", agents="none") == ""
    assert await told(checks="none") == "checks are not held"
    assert await told(checks_write=("/var/lib/app",)) == "sandbox.checks_write opens /var/lib/app to them"
    assert await told(author="mine") == "the sessions of mine lie where other agents read"
    assert "could hand them on" in await told(checks="landlock")


async def test_it_says_that_no_sandbox_works(told, monkeypatch: pytest.MonkeyPatch) -> None:
    available = sandboxed_checks.AvailableMeans
    monkeypatch.setattr("setpoint.system.processes.available.ORDER", ())
    monkeypatch.setattr(sandboxed_checks, "_AVAILABLE", available())
    assert await told() == "no sandbox works here"
    assert await told("rules") == "checks are not held"
