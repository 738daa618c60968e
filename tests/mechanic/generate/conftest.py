"""A small project in a folder, and briefs for who writes its tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

import plain_pytest
from setpoint.model.attempt import AttemptLimits, Brief, ModelCall, Role, ToolCall, Usage
from setpoint.model.cover import CoverGoals
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint.wiring.toolkit import HostToolkit
from setpoint_mechanic.generate import GeneratorAgent

PLAIN = (*plain_pytest.PLAIN, "-p", "no:cacheprovider")
"""The project's own tests and nothing else."""


class Watcher:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self.usage: list[Usage] = []
        self.halts = False

    def began(self, call: ToolCall) -> None:
        """Nothing is checked about beginnings."""

    def said(self, text: str) -> None:
        raise AssertionError(text)

    def called(self, call: ToolCall) -> bool:
        self.calls.append(call)
        return False

    def asked(self, call: ModelCall) -> None:
        raise AssertionError(call)

    def spent(self, usage: Usage) -> bool:
        self.usage.append(usage)
        return self.halts


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    root = tmp_path / "work"

    def make(**files: str) -> Path:
        for name, text in files.items():
            path = root / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
        return root

    return make


@pytest.fixture
def brief() -> Callable[..., Brief]:
    def make(root: Path, **keys: object) -> Brief:
        standard = {
            "role": Role.MAKER,
            "session": "s1",
            "label": "implement-1",
            "prompt": "write tests",
            "workdir": str(root),
            "python": sys.executable,
            "story": Story(id=StoryId("cover"), title="Tests"),
            "limits": AttemptLimits(wall_s=600.0),
        }
        return Brief.model_validate({**standard, **keys})

    return make


@pytest.fixture
def generator(toolkit: HostToolkit) -> Callable[..., GeneratorAgent]:
    def make(*paths: str, budget_s: float = 4.0) -> GeneratorAgent:
        goals = CoverGoals(paths=paths, budget_s=budget_s)
        return GeneratorAgent(toolkit, goals, PLAIN)

    return make
