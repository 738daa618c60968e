"""Long-lived processes one talks with."""

import os
import signal
from pathlib import Path

import pytest

from setpoint.system.processes import spawn
from system.processes.living import gone, marked, there


async def test_one_can_talk_with_it_and_end_it(command, tmp_path: Path):
    process = await spawn(command("cat"), tmp_path / "err")
    process.stdin.write(b"hello\n")
    await process.stdin.drain()
    assert await process.stdout.readline() == b"hello\n"
    assert (process.exit_code, process.ended) == (None, False)
    assert await process.end() == 0
    assert process.ended
    assert await process.end() == 0


async def test_its_pid_is_its_own(command, tmp_path: Path):
    process = await spawn(command("sh", "-c", "echo $$; exec cat"), tmp_path / "err")
    assert int(await process.stdout.readline()) == process.pid
    await process.end()


async def test_a_line_may_be_very_long(python, tmp_path: Path):
    process = await spawn(python("print('x' * 20_000_000)"), tmp_path / "err")
    assert len(await process.stdout.readline()) == 20_000_001
    assert await process.wait() == 0
    await process.end()


async def test_one_that_does_not_listen_is_ended_with_its_tree(command, tmp_path: Path, nap: str):
    process = await spawn(command("sh", "-c", f"setsid sleep {nap} & echo up; sleep {nap}"), tmp_path / "err")
    assert await process.stdout.readline() == b"up\n"
    assert marked(nap)
    assert await process.end(grace_s=0.1) == -signal.SIGTERM
    assert gone(nap)


async def test_its_end_shows_as_the_end_of_its_output(command, tmp_path: Path):
    process = await spawn(command("sh", "-c", "echo last; exit 7"), tmp_path / "err")
    assert await process.stdout.read() == b"last\n"
    assert await process.wait() == 7
    assert await process.end() == 7


async def test_a_flood_on_stderr_is_kept_within_bounds_and_blocks_nothing(command, tmp_path: Path):
    flood = "echo first >&2; head -c 20000000 /dev/zero >&2; echo last >&2; echo out"
    process = await spawn(command("sh", "-c", flood, keep_bytes=1000), tmp_path / "err")
    assert await process.stdout.readline() == b"out\n"
    await process.wait()
    await process.end()
    kept = (tmp_path / "err").read_bytes()
    assert kept.startswith(b"first\n")
    assert kept.endswith(b"last\n")
    assert len(kept) < 1200
    assert b"bytes dropped" in kept


async def test_what_it_wrote_to_stderr_can_be_read_while_it_runs(command, tmp_path: Path):
    process = await spawn(command("sh", "-c", "echo warning >&2; echo up; exec cat"), tmp_path / "err")
    await process.stdout.readline()
    while not (tmp_path / "err").read_bytes():
        process.stdin.write(b"\n")
        await process.stdout.readline()
    assert (tmp_path / "err").read_bytes() == b"warning\n"
    await process.end()


async def test_a_missing_program_is_an_error_that_names_it(command, tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="no-such-agent"):
        await spawn(command("no-such-agent"), tmp_path / "err")


async def test_a_missing_directory_is_an_error_that_names_it(command, tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        await spawn(command("cat", cwd=tmp_path / "nowhere"), tmp_path / "err")


async def test_the_tree_of_a_supervisor_that_is_killed_is_ended_without_it(command, tmp_path: Path, nap: str):
    tree = f"setsid sh -c 'trap \"\" TERM; sleep {nap}; :' & (setsid sleep {nap} &) ; echo up; cat"
    process = await spawn(command("sh", "-c", tree), tmp_path / "err")
    assert await process.stdout.readline() == b"up\n"
    assert there(f"sleep\0{nap}", 2)
    stranger = await spawn(command("sleep", nap), tmp_path / "other")
    stat = Path(f"/proc/{process.pid}/stat").read_bytes()
    os.kill(int(stat.rpartition(b")")[2].split()[1]), signal.SIGKILL)
    assert await process.wait() is None
    assert marked(f"sleep\0{nap}") == [stranger.pid]
    await process.end()
    await stranger.end(0)
