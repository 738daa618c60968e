"""What processes of a maker find of hidden tests: nothing, by whatever way they try."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandboxes import usable
from setpoint.agents.launch import Launch, PrivateState
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.errors import SandboxUnavailable, SettingsError, WorkspaceError
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.private_folder import (
    HiddenFolder,
    hidden_place,
    private_temporary_files,
    temporary_place,
)
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

LOOK = (Path(__file__).parent / "look.py").read_text()
"""A program that looks for the secret wherever it can, and prints where it found it."""
HAND_ON = (Path(__file__).parent / "hand_on.py").read_text()
"""Code under test that reads the test beside it and hands it on by every way."""
WATCH = (Path(__file__).parent / "watch.py").read_text()
"""A process of the maker that takes what is handed on."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A user with a project, a hidden test and the sandboxes of both sides."""

    root: Path
    means: Means
    artifacts: Artifacts

    apart: Means
    """What holds hidden tests."""

    @property
    def secret(self) -> str:
        """What the programs look for; they know it by the name of the folder."""
        return hashlib.sha256(str(self.root).encode()).hexdigest()

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
        hold = Hold(means=self.means, places=(self.tree.parent,), covered=tuple(map(str, self.covered)))
        return replace(hold, withholding=replace(hold, means=self.apart, apart=self.hidden / "caches"))

    def program(self, text: str, *words: str, cwd: Path | None = None) -> Command:
        environment = clean_environment({"HOME": str(self.root / "home")})
        argv = (sys.executable, "-c", text, str(self.root), *words)
        return Command(argv=argv, cwd=cwd or self.work, environment=environment, timeout_s=60.0)

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[str]:
        """Keep a process of the maker running in its sandbox; gives the port at which it listens."""
        launch = Launch(name="maker", argv=("x",), writes=("~/.agent/",))
        held = await self.sandbox().hold(launch, self.program(WATCH))
        process = await spawn(held.command, self.root / "stderr")
        try:
            begun = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
            assert begun.startswith("begun"), (self.root / "stderr").read_text()
            yield begun.split()[1]
        finally:
            await process.end(0)
            await held.release()

    def found(self) -> set[str]:
        """What that process took."""
        noted = self.work / "found"
        return set(noted.read_text().splitlines()) if noted.exists() else set()


@pytest.fixture
def machine(tmp_path: Path, means: Means) -> Machine:
    state = tmp_path / "project" / ".setpoint"
    artifacts = Artifacts(state / "artifacts", hidden=HiddenFolder(tmp_path / "var" / "hidden", "p-1"))
    made = Machine(root=tmp_path, means=means, artifacts=artifacts, apart=means)
    for folder in (made.work, made.tree, state, tmp_path / "home"):
        folder.mkdir(parents=True)
    artifacts.hide(f"def test_it():\n    assert answer() == {made.secret!r}\n")
    (state / "setpoint.db").write_text(f"said {made.secret}")
    objects = made.root / "cache" / "measured" / "other.git" / "objects"
    objects.mkdir(parents=True)
    (objects / "loose").write_text(made.secret)
    return made


@pytest.fixture(autouse=True)
def _temporary(machine: Machine):
    with private_temporary_files():
        yield
    if program := shutil.which("ipcrm"):  # what code under test left in shared memory
        subprocess.run([program, "-M", str(int(machine.secret[:7], 16))], check=False, capture_output=True)


def test_hidden_texts_and_what_hidden_runs_write_lie_in_the_hidden_folder(machine: Machine) -> None:
    name = machine.artifacts.hide("text")
    older = machine.artifacts.keep("of an older run")
    with withholding():
        output = machine.artifacts.keep("output")
    assert machine.artifacts.read(name) == b"text"
    assert machine.artifacts.read(older) == b"of an older run"
    kept = [machine.artifacts.kept_at(each) for each in (name, output)]
    assert all(each.startswith(str(machine.hidden)) for each in kept)
    assert machine.hidden.stat().st_mode & 0o777 == 0o700


def test_what_nobody_used_for_long_is_removed(machine: Machine) -> None:
    old, new = (machine.artifacts.hide(text) for text in ("old", "new"))
    files = {name: machine.hidden / "p-1" / name[:2] / name[2:] for name in (old, new)}
    os.utime(files[old], (1, 1))
    machine.artifacts.hide("another")
    assert [files[name].exists() for name in (old, new)] == [False, True]


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_link_in_the_place_of_the_folder_is_refused(machine: Machine, kind: str) -> None:
    place = machine.root / "taken"
    place.symlink_to(machine.root / "home") if kind == "link" else place.write_text("")
    with pytest.raises(WorkspaceError, match="is a link"):
        Artifacts(machine.root / "a", hidden=HiddenFolder(place, "p-1")).hide("text")


@asynccontextmanager
async def designer(machine: Machine) -> AsyncIterator[list[str]]:
    """Run another agent beside, which knows the hidden test; gives the pids of it and of Setpoint."""
    folder = machine.hidden / "p-1"
    file = next(path for path in folder.rglob("*") if path.is_file())
    program = "import sys, time; sys.stdin.read(1); time.sleep(60)"
    with file.open() as opened:
        process = subprocess.Popen(  # noqa: ASYNC220 - it forks and returns
            [sys.executable, "-c", program], cwd=folder, env={"TOLD": machine.secret}, stdin=opened
        )
    try:
        yield [str(process.pid), str(os.getpid())]
    finally:
        process.kill()
        process.wait()


async def test_an_agent_finds_no_hidden_test(machine: Machine) -> None:
    launch = Launch(name="maker", argv=("x",))
    async with designer(machine) as pids:
        held = await machine.sandbox().hold(launch, machine.program(LOOK, *pids))
        done = await run(held.command)
        await held.release()
    assert done.text.split("\n") == ["looked", ""], done.errors


async def test_a_check_finds_no_hidden_test(machine: Machine) -> None:
    async with designer(machine) as pids:
        with holding(machine.hold()):
            done = await run(machine.program(LOOK, *pids, cwd=machine.tree))
    assert done.text.split("\n") == ["looked", ""], done.errors


async def test_without_a_sandbox_all_of_these_ways_lead_to_it(machine: Machine) -> None:
    async with designer(machine) as pids:
        done = await run(machine.program(LOOK, *pids))
    ways = {"path", "symlink", "hard link", "root", "cwd", "environ", "descriptor", "memory"}
    assert {line.removeprefix("found: ") for line in done.text.splitlines()} >= ways


async def _hidden_run(machine: Machine, port: str, hold: Hold | None) -> str:
    tree = machine.tree
    (tree / "test_hidden.py").write_text(machine.secret)
    tool = machine.root / "tool"
    command = replace(machine.program(HAND_ON, port, cwd=tree), writes=(tool,), lasting=tool)
    command = replace(command, environment={**(command.environment or {}), "TOOL_CACHE": str(tool)})
    with holding(hold):
        if hold is None:
            done = await run(command)
        else:
            with withholding():
                async with without_network():
                    done = await run(command)
    shutil.rmtree(tree)
    await asyncio.sleep(1.5)
    return done.text


@pytest.fixture(params=[Means.LANDLOCK, Means.BWRAP])
def apart(request: pytest.FixtureRequest) -> Means:
    """What holds hidden tests."""
    return usable(request.param)


@pytest.mark.slow
async def test_code_under_a_hidden_test_hands_it_on_to_nobody(machine: Machine, apart: Means) -> None:
    machine = replace(machine, apart=apart)
    async with machine.watching() as port:
        said = await _hidden_run(machine, port, machine.hold())
        found = machine.found()
    # Landlock alone cannot refuse these, which the line of the verdict says.
    left = {"shared memory", "attribute", "socket in the work copy"} if apart is Means.LANDLOCK else set()
    assert found <= left, said


@pytest.mark.slow
async def test_unheld_code_hands_it_on_by_all_of_these_ways(machine: Machine) -> None:
    async with machine.watching() as port:
        await _hidden_run(machine, port, None)
        found = machine.found()
    for folder in map(Path, ("/tmp", "/var/tmp", "/dev/shm")):
        for left in folder.glob(f"handed-{machine.secret}-*"):
            left.unlink()
    assert {"loopback", "socket in the work copy", "socket in the agent's state", "attribute"} <= found
    assert ("shared memory" in found) == (machine.means is Means.LANDLOCK)
    assert any(each.startswith(("file /tmp/handed", "file /dev/shm/handed")) for each in found)


async def test_what_cannot_be_covered_is_refused_and_not_opened(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confining, "_MOST_BESIDE", 2)
    confinement = Confinement(means=Means.LANDLOCK, covered=(str(machine.hidden),))
    with pytest.raises(SandboxUnavailable, match="hold more than 2 entries"):
        await run(replace(machine.program("print(1)"), confinement=confinement))


@pytest.mark.parametrize("way", ["in place", "renamed", "older"])
async def test_a_login_refreshed_in_a_private_session_is_taken_over(machine: Machine, way: str) -> None:
    users = machine.root / "home" / ".agent" / "login"
    users.parent.mkdir()
    users.write_text("old")
    (users.parent / "config").write_text("mine")
    state = PrivateState(
        variables={"AGENT_HOME": ""},
        copied={"config": ("~/.agent/config",)},
        login={"login": ("~/.agent/login",)},
    )
    launch = Launch(name="author", argv=("x",), writes=("~/.agent/",), private=state)
    writes = {
        "in place": "printf new > $AGENT_HOME/login",
        "renamed": "printf new > $AGENT_HOME/part && mv $AGENT_HOME/part $AGENT_HOME/login",
        "older": "printf new > $AGENT_HOME/part && touch -d 2001-01-01 $AGENT_HOME/part && "
        "mv $AGENT_HOME/part $AGENT_HOME/login",
    }
    script = f"set -e; cat $AGENT_HOME/config; {writes[way]}; echo said > $AGENT_HOME/transcript"
    command = replace(machine.program(""), argv=("sh", "-c", script))
    held = await machine.sandbox().hold(launch, command, private=True)
    done = await run(held.command)
    await held.release()
    assert (done.text, done.errors) == ("mine", "")
    assert users.read_text() == ("old" if way == "older" else "new")
    assert sorted(path.name for path in users.parent.iterdir()) == ["config", "login"]
    assert list((machine.hidden / "sessions").iterdir()) == []


def test_the_folder_lies_outside_project_and_home(tmp_path: Path) -> None:
    assert hidden_place("", tmp_path) == Path(f"/var/tmp/setpoint-{os.getuid()}")
    assert hidden_place("/elsewhere", tmp_path) == Path("/elsewhere")
    with pytest.raises(SettingsError, match="lies in the project"):
        hidden_place("below", tmp_path)
