"""Where an agent's processes may write: the work copy, a temporary folder, its own state; nowhere else."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from setpoint.agents.acp.agent import AcpAgent
from setpoint.agents.command.agent import CommandAgent
from setpoint.agents.launch import Launch
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.errors import SandboxUnavailable, SettingsError
from setpoint.model.attempt import Brief
from setpoint.model.config.sandbox import Means, SandboxSettings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Trial
from setpoint.testing import SilentObserver

Laid = Callable[..., Path]
TREES = ".cache/setpoint/project-1/trees"
"""Where the copies of the repository lie, in the home."""
OWN = f"{TREES}/work/run-1"
UP = "../../../../../.."
"""From the work copy to the home."""


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's home with a repository, and the copies of it in the cache folder."""
    (tmp_path / "home" / ".cache" / "tool").mkdir(parents=True)
    (tmp_path / "home" / OWN).mkdir(parents=True)
    for file in (
        ".bashrc",
        "project/calc.py",
        "project/.setpoint/log.db",
        "project/.setpoint/snapshots/run-1.git/HEAD",
        f"{TREES}/work/run-2/calc.py",
        f"{TREES}/measured/run-1/calc.py",
        f"{TREES}/repositories/run-1.git/HEAD",
        ".cache/setpoint/other-1/trees/work/run-3/calc.py",
    ):
        (tmp_path / "home" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / file).write_text("kept\n")
    return tmp_path / "home"


@pytest.fixture
def laid(user: Path) -> Callable[..., Brief]:
    def make(brief: Callable[..., Brief]) -> Brief:
        return brief().model_copy(update={"workdir": str(user / OWN)})

    return make


def _sandbox(user: Path, **settings: object) -> Sandbox:
    project = user / "project"
    code = (user / ".cache" / "setpoint",)
    return Sandbox(SandboxSettings(**settings), protected=(project, project / ".setpoint"), code=code)


def _kept(user: Path) -> dict[str, str]:
    return {
        str(path.relative_to(user)): path.read_text()
        for path in user.rglob("*")
        if path.is_file() and OWN not in path.as_posix()
    }


TRIES = [
    "echo x > ~/project/.setpoint/log.db",
    "rm -rf ~/project/.setpoint/log.db ~/project/.setpoint/snapshots",
    "echo x > ~/project/.setpoint/snapshots/run-1.git/HEAD",
    "echo x > ~/project/calc.py",
    "echo x > ../new",
    "echo x > ../run-2/calc.py",
    "rm -rf ../run-2",
    "echo x > ../../measured/run-1/calc.py",
    "echo x > ../../repositories/run-1.git/HEAD",
    "echo x > ~/.cache/setpoint/other-1/trees/work/run-3/calc.py",
    "echo x > ~/.cache/setpoint/new",
    "echo x >> ~/.bashrc",
    "echo x > ~/.new",
    "echo x > ~/.cache/uv/planted",
    "mkdir -p ~/.cache/uv/archive && echo x > ~/.cache/uv/archive/planted",
    "ln -s ~/project tree; echo x > tree/calc.py",
    "echo x > $OUTSIDE",
]
ALLOWED = [
    "echo x > made",
    'echo x > "$TMPDIR/made" && cp "$TMPDIR/made" copied',
    "echo x > ~/.cache/tool/made",
    "echo x > ~/.agent/made",
]


async def test_an_agent_over_the_protocol_changes_its_work_copy_only(
    user: Path,
    laid,
    brief,
    artifacts: Artifacts,
    means: Means,
    tmp_path: Path,
) -> None:
    before = _kept(user)
    script = tmp_path / "script.json"
    edits = [
        {"write": path, "text": "x"} for path in ("../run-2/calc.py", f"{UP}/project/calc.py", "tree/calc.py")
    ]
    steps = [{"shell": tried} for tried in (*TRIES, *ALLOWED)]
    prompts = [[*steps], *([edit] for edit in edits)]
    script.write_text(json.dumps({"prompts": prompts, "counter": "home/.agent/played"}))
    launch = Launch(
        name="scripted",
        argv=(sys.executable, "-m", "setpoint.agents.scripted", str(script)),
        environment={"HOME": str(user), "OUTSIDE": str(tmp_path / "outside")},
        writes=("~/.agent/",),
    )
    agent = AcpAgent(
        launch, artifacts=artifacts, scratch=tmp_path / "s", sandbox=_sandbox(user, agents=means)
    )
    observer = SilentObserver()
    attempts = [await agent.attempt(laid(brief), observer) for _ in range(1 + len(edits))]
    await agent.close()

    assert [call.ok for call in observer.calls[: len(steps)]] == [False] * len(TRIES) + [True] * len(ALLOWED)
    assert {attempt.sandbox for attempt in attempts} == {means.value}
    assert all(attempt.breakage for attempt in attempts[1:])  # the agent itself is refused, and dies of it
    assert _kept(user) == {**before, ".cache/tool/made": "x\n", ".agent/made": "x\n", ".agent/played": "4"}
    assert not (tmp_path / "outside").exists()


async def test_a_command_changes_its_work_copy_only(
    user: Path,
    laid,
    brief,
    artifacts: Artifacts,
    means: Means,
    tmp_path: Path,
) -> None:
    before = _kept(user)
    tries = " ; ".join(f"({tried}) 2>/dev/null && echo escaped" for tried in TRIES)
    allowed = " && ".join(f"({each})" for each in ALLOWED[:2])
    environment = {"HOME": str(user), "OUTSIDE": str(tmp_path / "outside")}
    launch = Launch(
        name="own",
        argv=("sh", "-c", f"{tries}; {allowed} && echo $TMPDIR"),
        protocol="command",
        environment=environment,
    )
    agent = CommandAgent(launch, artifacts=artifacts, sandbox=_sandbox(user, agents=means))
    attempt = await agent.attempt(laid(brief), SilentObserver())
    assert (attempt.breakage, attempt.sandbox, "escaped" in attempt.text) == (None, means.value, False)
    assert _kept(user) == before
    assert (user / OWN / "copied").read_text() == "x\n"
    assert not Path(attempt.text.strip()).exists()  # its temporary folder went with it


DOOMED = """
import asyncio, sys
from pathlib import Path
from setpoint.agents.acp.agent import AcpAgent
from setpoint.agents.sandbox.sandbox import Sandbox
from setpoint.agents.launch import Launch
from setpoint.model.attempt import Brief
from setpoint.model.config.sandbox import SandboxSettings
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import SilentObserver

folder, brief, means = Path(sys.argv[1]), Brief.model_validate_json(sys.argv[2]), sys.argv[3]
argv = (sys.executable, "-m", "setpoint.agents.scripted", str(folder / "s.json"))
agent = AcpAgent(
    Launch(name="scripted", argv=argv), artifacts=Artifacts(folder / "kept"), scratch=folder / "scratch",
    sandbox=Sandbox(SandboxSettings(agents=means)),
)
asyncio.run(agent.attempt(brief, SilentObserver()))
"""


async def test_when_setpoint_is_killed_nothing_in_the_sandbox_lives_on(
    brief,
    living,
    tmp_path: Path,
    means: Means,
) -> None:
    nap = f"93.{os.getpid()}"
    fork = f"(setsid sleep {nap} & setsid sleep {nap} &) ; sleep {nap}"
    (tmp_path / "s.json").write_text(json.dumps({"prompts": [[{"shell": fork}]]}))
    argv = [sys.executable, "-c", DOOMED, str(tmp_path), brief().model_dump_json(), means.value]
    setpoint = await asyncio.create_subprocess_exec(*argv)
    async with asyncio.timeout(60):
        while len(living(f"sleep\0{nap}")) < 3:  # noqa: ASYNC110 - other processes start them
            await asyncio.sleep(0.02)
        setpoint.send_signal(signal.SIGKILL)
        await setpoint.wait()
        while living(nap) or living(str(tmp_path)):  # noqa: ASYNC110 - other processes end them
            await asyncio.sleep(0.02)


def _launch(**keys: object) -> Launch:
    return Launch(name="own", argv=("true",), **keys)


def _command(tmp_path: Path, **environment: str) -> Command:
    return Command(argv=("true",), cwd=tmp_path, environment=environment, timeout_s=1)


async def test_without_a_sandbox_the_command_stays_as_it_is(tmp_path: Path) -> None:
    command = _command(tmp_path)
    for sandbox in (Sandbox(), Sandbox(SandboxSettings(agents=Means.NONE))):
        held = await sandbox.hold(_launch(), command)
        assert (held.command.argv, held.command.confinement, held.by) == (command.argv, None, "none")
        await held.release()
    alone = _launch(sandbox=Means.NONE, when_held={"OWN_SANDBOX": "off"})
    free = await Sandbox(SandboxSettings()).hold(alone, command)
    assert (free.command.confinement, "OWN_SANDBOX" in (free.command.environment or {})) == (None, False)


async def test_a_means_that_does_not_work_is_an_error_at_the_start(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox = Sandbox(SandboxSettings(agents=Means.BWRAP))
    with pytest.raises(SandboxUnavailable, match=r"sandbox.agents = 'bwrap' .* install"):
        await sandbox.hold(_launch(), _command(tmp_path))
    with pytest.raises(SandboxUnavailable, match=r"agent.own.sandbox = 'bwrap'"):
        await Sandbox(SandboxSettings()).chosen(_launch(sandbox=Means.BWRAP))


async def test_auto_takes_the_first_that_works_and_says_why_none_does(monkeypatch) -> None:
    tried = {}

    async def trial(means: Means) -> Trial:
        return Trial(means=means, why_not=tried[means], words=means)

    monkeypatch.setattr("setpoint.system.processes.available.trial", trial)
    for reasons, told in (
        (("", ""), "landlock"),
        (("too old", ""), "bwrap"),
        (("too old", "not there"), "none; landlock: too old; bwrap: not there"),
    ):
        tried.update(zip((Means.LANDLOCK, Means.BWRAP), reasons, strict=True))
        assert await Sandbox(SandboxSettings()).told(_launch()) == told
    assert await Sandbox(SandboxSettings(agents=Means.NONE)).told(_launch()) == "none, by setting"


async def test_hiding_is_left_to_bwrap(monkeypatch, tmp_path: Path) -> None:
    async def trial(means: Means) -> Trial:
        return Trial(means=means, words=means)

    monkeypatch.setattr("setpoint.system.processes.available.trial", trial)
    (tmp_path / ".ssh").mkdir()
    hide = SandboxSettings(hide=("~/.ssh", "~/.none"))
    held = await Sandbox(hide).hold(_launch(), _command(tmp_path, HOME=str(tmp_path)))
    await held.release()
    assert (held.by, held.command.confinement.hidden) == ("bwrap", (str(tmp_path / ".ssh"),))
    with pytest.raises(SandboxUnavailable, match=r"cannot hide"):
        await Sandbox(hide.model_copy(update={"agents": Means.LANDLOCK})).chosen(_launch())


async def _places(sandbox: Sandbox, launch: Launch, command: Command) -> list[str]:
    held = await sandbox.hold(launch, command)
    await held.release()
    confinement = held.command.confinement
    assert confinement is not None
    return [path for path in confinement.writable[1:] if path != held.command.environment["TMPDIR"]]


async def test_places_are_expanded_and_folders_of_an_agent_are_made(tmp_path: Path, means: Means) -> None:
    (tmp_path / "file").touch()
    launch = _launch(
        writes=("~/.own/", "~/file", "~/none", "$STATE/x/", "$UNSET/y/", "$EMPTY/z/", "relative/")
    )
    command = _command(tmp_path, HOME=str(tmp_path), STATE=str(tmp_path / "state"), EMPTY="")
    sandbox = Sandbox(SandboxSettings(agents=means))
    wanted = [str(tmp_path / name) for name in (".own", "file", "state/x")]
    assert await _places(sandbox, launch, command) == wanted
    assert (tmp_path / ".own").stat().st_mode & 0o777 == 0o700
    assert await _places(sandbox, launch, _command(tmp_path, STATE=str(tmp_path / "state"))) == wanted[2:]


async def test_an_agent_is_told_that_it_is_held(tmp_path: Path, means: Means) -> None:
    launch = _launch(when_held={"OWN_SANDBOX": "off"})
    held = await Sandbox(SandboxSettings(agents=means)).hold(launch, _command(tmp_path))
    await held.release()
    environment = held.command.environment or {}
    assert environment["OWN_SANDBOX"] == "off"
    assert Path(environment["TMPDIR"]).parent == Path(tempfile.gettempdir()).resolve()


async def test_caches_are_open_unless_they_hold_the_repository(tmp_path: Path, means: Means) -> None:
    (tmp_path / ".cache" / "project").mkdir(parents=True)
    (tmp_path / ".npm").mkdir()
    command = _command(tmp_path, HOME=str(tmp_path))
    project = tmp_path / ".cache" / "project"
    sandbox = Sandbox(SandboxSettings(agents=means), protected=(project,))
    assert await _places(sandbox, _launch(), command) == [str(tmp_path / ".npm")]
    closed = Sandbox(SandboxSettings(agents=means, caches=False))
    assert await _places(closed, _launch(), command) == []


async def test_what_would_open_the_repository_is_refused(tmp_path: Path, means: Means) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for given in ("~", str(project)):
        sandbox = Sandbox(SandboxSettings(agents=means, writes=(given,)), protected=(project,))
        with pytest.raises(SettingsError, match=r"sandbox.writes: .* contains the repository"):
            await sandbox.hold(_launch(), _command(tmp_path, HOME=str(tmp_path)))
