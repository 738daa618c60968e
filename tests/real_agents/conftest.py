from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from real_agents.recipes import RECIPES

AGENTS = Path(__file__).parents[2] / ".agents"
FOLDERS = tuple(
    AGENTS / folder
    for folder in ("free/node_modules/.bin", "more/node_modules/.bin", "vibe/bin", "aider/bin")
)
PROGRAMS = {"claude": "claude-agent-acp", "codex": "codex-acp", "vibe": "vibe-acp"}
"""Program by the agent's name in the registry, where they differ; `-cli` are the same without a protocol."""


def recipe_of(name: str) -> str:
    return name.removesuffix("-cli")


def wanted(*names: str) -> list[str]:
    """Give those names that are to be driven: `AGENTS="gemini codex"` in the environment narrows it."""
    told = os.environ.get("AGENTS", "").split()
    return [name for name in names if not told or "all" in told or recipe_of(name) in told]


@dataclass(frozen=True)
class RealAgent:
    """An installed agent, and how it is pointed at a model server."""

    name: str
    home: Path

    def environment(self, url: str) -> dict[str, str]:
        """Give its variables: a home of its own, and nothing that could reach a real model."""
        path = ":".join([*map(str, FOLDERS), os.environ["PATH"]])
        return {"HOME": str(self.home), "PATH": path, **RECIPES[recipe_of(self.name)](self.home, url)}


@pytest.fixture
def real_agent(tmp_path: Path) -> Callable[[str], RealAgent]:
    def get(name: str) -> RealAgent:
        program = PROGRAMS.get(name, recipe_of(name))
        if not any((folder / program).exists() for folder in FOLDERS):
            reason = f"{program} is not installed; run tests/real_agents/install.sh {recipe_of(name)}"
            # Where CI runs these tests, an agent that is missing is a failure and not silence.
            (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return RealAgent(name, home)

    return get
