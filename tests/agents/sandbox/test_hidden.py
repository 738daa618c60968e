"""What processes of a maker find of hidden tests: nothing, by whatever way they try."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from setpoint.agents.launch import Launch
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.errors import SandboxUnavailable, WorkspaceError
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.private_folder import HiddenFolder, private_temporary_files, temporary_place
from setpoint.system.processes import (
    Command,
    Confinement,
    Hold,
    clean_environment,
    holding,
    run,
    spawn,
    withholding,
    without_network,
)
from setpoint.system.processes import confinement as confining

SECRET = "hidden" + "-" + "5f0c" * 8
HELD = (Means.LANDLOCK, Means.BWRAP)
LOOK = (Path(__file__).parent / "look.py").read_text()
"""A program that looks for the secret wherever it can, and prints where it found it."""
HAND_ON = (Path(__file__).parent / "hand_on.py").read_text()
"""Code under test that reads the test beside it and writes it wherever it can."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A user with a project, a hidden test and the sandboxes of both sides."""

    root: Path
    means: Means
    artifacts: Artifacts

    @property
    def hidden(self) -> Path:
        return self.root / "var" / "hidden"

    @property
    def work(self) -> Path:
        return self.root / "cache" / "work" / "run-1"

    @property
    def tree(self) -> Path:
        return self.root / "cache" / "measured" / "run-1"

    @property
    def covered(self) -> tuple[Path, ...]:
        folders = (self.hidden, self.root / "project" / ".setpoint", self.work.parent, self.tree.parent)
        return (*folders, temporary_place())

    def sandbox(self) -> Sandbox:
        settings = SandboxSettings(agents=self.means)
        return Sandbox(
            settings, protected=self.covered, covered=self.covered, sessions=self.hidden / "sessions"
        )

    def hold(self) -> Hold:
        hold = Hold(
            means=self.means, places=(self.tree.parent,), covered=tuple(map(str, self.covered))
        )
        return hold.model_copy() if False else hold

    def program(self, text: str, *words: str, cwd: Path | None = None) -> Command:
        environment = clean_environment({"HOME": str(self.root / "home")})
        argv = (sys.executable, "-c", text, str(self.root), *words)
        return Command(argv=argv, cwd=cwd or self.work, environment=environment, timeout_s=60.0)

    @asynccontextmanager
    async def maker(self, text: str, *words: str) -> AsyncIterator[Path]:
        """Keep a process of the maker running in its sandbox; what it finds comes to a file."""
        held = await self.sandbox().hold(Launch(name="maker", argv=("x",)), self.program(text, *words))
        process = await spawn(held.command, self.root / "stderr")
        try:
            assert b"begun" in await asyncio.wait_for(process.stdout.readline(), 30)
            yield self.work / "found"
        finally:
            await process.end(0)
            await held.release()


@pytest.fixture
def machine(tmp_path: Path, means: Means) -> Machine:
    state = tmp_path / "project" / ".setpoint"
    artifacts = Artifacts(state / "artifacts", hidden=HiddenFolder(tmp_path / "var" / "hidden", "p-1"))
    made = Machine(root=tmp_path, means=means, artifacts=artifacts)
    for folder in (made.work, made.tree, state, tmp_path / "home"):
        folder.mkdir(parents=True)
    artifacts.hide(f"def test_it():\n    assert answer() == {SECRET!r}\n")
    (state / "setpoint.db").write_text(f"said {SECRET}")
    objects = made.root / "cache" / "measured" / "other.git" / "objects"
    objects.mkdir(parents=True)
    (objects / "loose").write_text(SECRET)
    return made


@pytest.fixture(autouse=True)
def _temporary(machine: Machine):
    with private_temporary_files():
        yield


def test_a_hidden_text_is_found_in_a_withheld_block_alone(machine: Machine) -> None:
    from setpoint.errors import RecordedDataError

    name = machine.artifacts.hide("text")
    older = machine.artifacts.keep("of an older run")
    with pytest.raises(RecordedDataError):
        machine.artifacts.read(name)
    with withholding():
        output = machine.artifacts.keep("output")
        assert machine.artifacts.read(name) == b"text"
        assert machine.artifacts.read(older) == b"of an older run"
    with pytest.raises(RecordedDataError):
        machine.artifacts.read(output)
    assert machine.hidden.stat().st_mode & 0o777 == 0o700
