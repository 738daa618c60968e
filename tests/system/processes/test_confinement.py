"""What a confined process can and cannot do, with the real kernel and the real bubblewrap."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from setpoint.model.config.sandbox import Means
from setpoint.system.processes import Command, Completed, Confinement, landlock, run

SCOPES = 6
CANARY = "canary-4711-in-the-environment"
BREAKOUTS = {
    "writes": "echo x > ../outside/file",
    "appends": "echo x >> ../outside/file",
    "empties": "python -c 'import os; os.truncate(\"../outside/file\", 0)'",
    "makes": "echo x > ../outside/new",
    "deletes": "rm -f ../outside/file",
    "makes a folder": "mkdir ../outside/new",
    "deletes a folder": "rmdir ../outside/folder",
    "moves out": "mv mine ../outside/mine",
    "moves in": "mv ../outside/file file",
    "writes beside itself": "echo x > ../new",
    "writes through a symbolic link": "ln -s ../outside link && echo x > link/file",
    "writes through a hard link": "ln ../outside/file link && echo x > link",
    "writes through a folder of processes": "echo x > /proc/$OTHER/cwd/file",
    "writes through its parent": 'echo x > /proc/$PPID/root"$PWD"/../outside/file',
    "makes all writable again": "mount -o remount,rw,bind / ; echo x > ../outside/file",
    "makes a name space": "unshare -Urm sh -c 'mount -o remount,rw,bind / ; echo x > ../outside/file'",
    "hides in a daemon": "setsid -f sh -c 'echo x > ../outside/file; touch done'; "
    "until [ -e done ]; do sleep .01; done",
    "makes a device": "mknod disk b 254 0",
    "ends another process": "kill -9 $OTHER",
    "reads the environment of another process": "grep -a canary /proc/$OTHER/environ",
    "reads the memory of another process": "head -c 1 /proc/$OTHER/maps | grep .",
}
CHORES = {
    "writes": "echo x > file && cat file",
    "replaces": "echo x > file && echo y > other && mv other file && rm file",
    "works in folders": "mkdir -p a/b && mv a c && rmdir c/b c",
    "moves between its folders": "echo x > file && mv file ../temp/file && mv ../temp/file file",
    "links": "echo x > a && ln a b && ln -s a c && mkfifo d",
    "shortens": 'python -c \'import os; open("f", "w").write("xy"); os.truncate("f", 1)\'',
    "reads elsewhere": "grep kept ../outside/file",
    "uses devices": "echo x > /dev/null && head -c 4 /dev/urandom > random && echo x > /dev/stderr",
    "uses shared memory": "python -c 'import multiprocessing; multiprocessing.Queue().put(1)'",
    "opens a terminal": "python -c 'import pty, os; os.write(pty.openpty()[1], b\"x\")'",
    "commits": "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one",
    "ends its own": "sleep 60 & kill $!",
    "looks at its own": "sleep 60 & cat /proc/$!/environ > seen; kill $!",
}

Confined = Callable[..., Command]


@pytest.fixture
def other(tmp_path: Path) -> Iterator[int]:
    """A process that is none of the confined one's, with a secret in its environment."""
    (tmp_path / "outside").mkdir()
    environment = {"PATH": os.environ["PATH"], "CANARY": CANARY}
    process = subprocess.Popen(["sleep", "600"], cwd=tmp_path / "outside", env=environment)
    yield process.pid
    process.kill()
    process.wait()


@pytest.fixture
def confined(tmp_path: Path, other: int, means: Means) -> Confined:
    outside, work, temp = (tmp_path / name for name in ("outside", "work", "temp"))
    for folder in (outside / "folder", work, temp):
        folder.mkdir()
    for file in (outside / "file", work / "mine"):
        file.write_text("kept\n")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    def made(script: str, hidden: tuple[str, ...] = ()) -> Command:
        return Command(
            argv=("sh", "-c", script),
            cwd=work,
            timeout_s=60,
            environment={"PATH": path, "OTHER": str(other), "HOME": str(work)},
            confinement=Confinement(means=means, writable=(str(work), str(temp)), hidden=hidden),
        )

    return made


def _standing(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else ""
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("breakout", BREAKOUTS)
async def test_no_way_out(
    breakout: str, confined: Confined, other: int, tmp_path: Path, means: Means
) -> None:
    if means is Means.LANDLOCK and breakout == "ends another process" and landlock.version() < SCOPES:
        pytest.skip("Linux before 6.12 cannot keep signals within")
    before = _standing(tmp_path / "outside")
    if os.geteuid() != 0 and breakout == "makes a device":
        pytest.skip("only root could, and this is not root")
    done = await run(confined(BREAKOUTS[breakout]))
    assert _standing(tmp_path / "outside") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "temp", "work"]
    assert not done.ok or "daemon" in breakout
    assert CANARY not in done.text
    assert _lives(other)


@pytest.mark.parametrize("breakout", sorted(BREAKOUTS.keys() - {"makes a device", "makes a name space"}))
async def test_each_way_out_is_open_without_a_sandbox(
    breakout: str, confined: Confined, other: int, tmp_path: Path
) -> None:
    """Where an attempt fails by itself, that it fails in the sandbox shows nothing."""
    command = confined(BREAKOUTS[breakout].replace("mount -o remount,rw,bind / ;", ""))
    done = await run(Command(**{**vars(command), "confinement": None}))
    assert done.ok, done.errors


@pytest.mark.parametrize("chore", CHORES)
async def test_work_goes_on_as_ever(chore: str, confined: Confined) -> None:
    done = await run(confined(CHORES[chore]))
    assert (done.exit_code, done.fault) == (0, ""), done.errors


async def test_hidden_places_look_empty_to_bwrap(confined: Confined, tmp_path: Path, means: Means) -> None:
    hidden = (str(tmp_path / "outside" / "folder"), str(tmp_path / "outside" / "file"))
    (tmp_path / "outside" / "folder" / "key").write_text("secret")
    done = await run(confined("ls ../outside/folder; cat ../outside/file", hidden=hidden))
    assert done.text.split() == ([] if means is Means.BWRAP else ["key", "kept"])


async def test_what_landlock_cannot_refuse_is_as_documented(
    confined: Confined,
    tmp_path: Path,
    means: Means,
) -> None:
    """Modes and times of files; bubblewrap refuses these, too."""
    done = await run(confined("chmod 600 ../outside/file && touch -d @0 ../outside/file"))
    changed = (tmp_path / "outside" / "file").stat().st_mtime == 0
    assert (done.ok, changed) == ((True, True) if means is Means.LANDLOCK else (False, False))


async def _ended(command: Command, **changes: object) -> Completed:
    return await run(Command(**{**vars(command), **changes}))


async def test_how_a_command_fails_to_start_is_told_the_same_way(confined: Confined, tmp_path: Path) -> None:
    command = confined("true")
    missing = await _ended(command, argv=("no-such-program",))
    assert (missing.exit_code, "no-such-program" in missing.fault) == (127, True)
    by_path = await _ended(command, argv=(str(tmp_path / "nowhere"),))
    assert by_path.exit_code == 127
    assert (await _ended(command, argv=("sh", "-c", "exit 7"))).exit_code == 7


async def test_a_rule_that_cannot_be_made_keeps_the_command_from_starting(
    confined: Confined, tmp_path: Path, means: Means
) -> None:
    no_folder = Confinement(means=means, writable=(str(tmp_path / "outside" / "file" / "gone"),))
    done = await _ended(confined("echo ran"), confinement=no_folder)
    assert (done.ok, done.text) == (False, "")
    assert "sandbox" in done.fault or "gone" in done.errors


def _lives(pid: int) -> bool:
    return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
