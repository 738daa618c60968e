from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[2] / ".agents" / "node_modules" / ".bin"


@dataclass(frozen=True)
class RealAgent:
    """An installed agent, and how it is pointed at a model server."""

    name: str
    home: Path

    def environment(self, url: str) -> dict[str, str]:
        """Give its variables: a home of its own, and nothing that could reach a real model."""
        shared = {"HOME": str(self.home), "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
        return {**shared, **{"gemini": _gemini, "opencode": _opencode}[self.name](self.home, url)}


def _gemini(home: Path, url: str) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    (home / ".gemini").mkdir(exist_ok=True)
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings))
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_MODEL": "gemini-2.5-pro"}


def _opencode(home: Path, url: str) -> dict[str, str]:
    del home
    model = {"cost": {"input": 3, "output": 15}, "limit": {"context": 128_000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"scripted": model},
    }
    settings = {
        "model": "local/scripted",
        "small_model": "local/scripted",
        "autoupdate": False,
        "permission": {"edit": "ask", "bash": "ask"},
        "provider": {"local": provider},
    }
    return {"OPENCODE_CONFIG_CONTENT": json.dumps(settings)}


@pytest.fixture
def real_agent(tmp_path: Path) -> Callable[[str], RealAgent]:
    def get(name: str) -> RealAgent:
        if not (PROGRAMS / name).exists():
            reason = f"{name} is not installed; run tests/real_agents/install.sh (needs Node.js 20 or newer)"
            # Where CI runs these tests, an agent that is missing is a failure and not silence.
            (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        return RealAgent(name, home)

    return get
