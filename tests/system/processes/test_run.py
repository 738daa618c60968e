"""Commands that end well, badly, too late or not at all."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from setpoint.system.processes import run
from system.processes.living import gone, there

PYTHON = f"{sys.executable} -I -S"
DAEMON = """
import os, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.execvp("sleep", ["sleep", sys.argv[1]])
"""


async def test_the_exit_code_and_both_streams_come_back(command):
    done = await run(command("sh", "-c", "echo out; echo err >&2; exit 3"))
    assert (done.exit_code, done.stdout, done.stderr, done.ok) == (3, b"out\n", b"err\n", False)
    assert done.started_at.tzinfo is not None
    assert done.ending == "exit code 3"


@pytest.mark.parametrize("code", [0, 1, 127, 137, 143, 255])
async def test_every_exit_code_is_told_from_a_signal(command, code):
    assert (await run(command("sh", "-c", f"exit {code}"))).exit_code == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE])
async def test_a_signal_is_a_negative_exit_code(command, number):
    done = await run(command("sh", "-c", f"kill -{int(number)} $$"))
    assert done.exit_code == -number
    assert not done.timed_out


async def test_a_missing_program_is_a_result(command):
    done = await run(command("no-such-program-anywhere", "--version"))
    assert done.exit_code == 127
    assert "no-such-program-anywhere" in done.fault


async def test_a_missing_directory_is_a_result_that_names_it(command, tmp_path: Path):
    done = await run(command("true", cwd=tmp_path / "gone"))
    assert done.exit_code == 127
    assert str(tmp_path / "gone") in done.fault


async def test_a_file_that_cannot_be_run_is_a_result(command, tmp_path: Path):
    (tmp_path / "plain").write_text("no program")
    done = await run(command("./plain"))
    assert done.exit_code == 126
    assert "Permission denied" in done.fault


async def test_the_program_is_found_in_the_path_of_its_own_environment(command, tmp_path: Path):
    (tmp_path / "bin").mkdir()
    tool = tmp_path / "bin" / "own-tool"
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    done = await run(command("own-tool", environment={"PATH": f"{tool.parent}:/usr/bin:/bin"}))
    assert done.text == "found\n"


async def test_the_environment_is_exactly_the_one_given_and_a_mark(command):
    done = await run(command("/usr/bin/env", environment={"ONE": "1", "TWO": "zwei ü"}))
    *given, mark = sorted(done.text.splitlines())
    assert (given, mark[:15]) == (["ONE=1", "TWO=zwei ü"], "_SETPOINT_TREE=")


async def test_no_secret_of_ours_is_inherited(command, monkeypatch):
    monkeypatch.setenv("SETPOINT_SECRET", "hidden")
    monkeypatch.setenv("LC_TIME", "C")
    names = {line.partition("=")[0] for line in (await run(command("/usr/bin/env"))).text.splitlines()}
    assert "SETPOINT_SECRET" not in names
    assert {"PATH", "LC_TIME"} <= names


async def test_standard_input_is_empty_unless_given(command):
    assert (await run(command("cat"))).stdout == b""
    data = bytes(range(256)) * 4000
    assert (await run(command("cat", stdin=data, keep_bytes=4_000_000))).stdout == data


async def test_a_flood_on_both_streams_is_drained_and_its_ends_are_kept(command):
    flood = "(echo first; head -c 50000000 /dev/zero; echo last) | tee /dev/stderr"
    done = await run(command("sh", "-c", flood, keep_bytes=10_000))
    assert done.exit_code == 0
    assert done.dropped_bytes == 2 * (50_000_011 - 10_000)
    for stream in (done.stdout, done.stderr):
        assert stream.startswith(b"first\n")
        assert stream.endswith(b"last\n")
        assert b"[... 49990011 bytes dropped ...]" in stream


async def test_streams_can_come_as_one_in_order(command):
    done = await run(command("sh", "-c", "echo 1; echo 2 >&2; echo 3", merge_stderr=True))
    assert (done.stdout, done.stderr) == (b"1\n2\n3\n", b"")


async def test_lines_are_told_while_it_runs(command):
    lines: list[bytes] = []
    done = await run(command("sh", "-c", "printf 'one\\r\\ntwo\\nthree'"), on_line=lines.append)
    assert lines == [b"one", b"two", b"three"]
    assert done.stdout == b"one\r\ntwo\nthree"


async def test_what_a_listener_raises_ends_the_command(command, nap: str):
    def refuse(line: bytes) -> None:
        raise LookupError(line)

    with pytest.raises(LookupError, match="ready"):
        await run(command("sh", "-c", f"sleep {nap} & echo ready; wait"), on_line=refuse)
    assert gone(nap)


async def test_a_time_out_ends_the_whole_tree(command, nap: str):
    done = await run(command("sh", "-c", f"setsid sleep {nap} & sleep {nap}", timeout_s=0.4))
    assert (done.timed_out, done.idled, done.exit_code) == (True, False, None)
    assert "0.4 s" in done.ending
    assert gone(nap)


async def test_a_process_deaf_to_sigterm_is_killed(python, nap: str):
    ignore = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    deaf = f"{ignore}; print('deaf', flush=True); time.sleep({nap})"
    done = await run(python(deaf, timeout_s=2.0, grace_s=0.2))
    assert done.timed_out
    assert done.stdout == b"deaf\n"
    assert gone(nap)


async def test_silence_ends_it_and_noise_does_not(command):
    done = await run(
        command("sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.15; done; sleep 60", idle_s=1.0)
    )
    assert (done.idled, done.timed_out, done.exit_code) == (True, False, None)
    assert done.stdout == b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"


async def test_a_grandchild_that_keeps_the_pipe_open_is_ended_with_its_parent(command, nap: str):
    done = await run(command("sh", "-c", f"sleep {nap} & echo done"))
    assert (done.exit_code, done.stdout, done.left_behind) == (0, b"done\n", 1)
    assert gone(nap)


async def test_a_daemon_is_found_though_it_left_session_and_parent(command, nap: str, tmp_path: Path):
    (tmp_path / "daemon.py").write_text(DAEMON)
    done = await run(command("sh", "-c", f"{PYTHON} daemon.py {nap}; exit 5"))
    assert done.exit_code == 5
    assert done.left_behind >= 1
    assert gone(nap)


async def test_cancelling_ends_the_whole_tree(command, nap: str, tmp_path: Path):
    (tmp_path / "daemon.py").write_text(DAEMON)
    task = asyncio.create_task(
        run(command("sh", "-c", f"{PYTHON} daemon.py {nap}; setsid sleep {nap} & sleep {nap}"))
    )
    assert await asyncio.to_thread(there, f"sleep\0{nap}", 3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gone(nap)


async def test_memory_is_limited_for_each_process(python):
    done = await run(python("x = bytearray(3 << 30)", memory_bytes=1 << 30))
    assert done.exit_code == 1
    assert b"MemoryError" in done.stderr


async def test_a_file_cannot_grow_beyond_its_bound(command, tmp_path: Path):
    done = await run(command("sh", "-c", "exec head -c 2000000 /dev/zero > big", file_bytes=1_000_000))
    assert done.exit_code == -signal.SIGXFSZ
    assert (tmp_path / "big").stat().st_size <= 1_000_000


async def test_a_killed_supervisor_is_a_fault_and_its_command_dies(command, nap: str):
    killing = f"kill -9 $PPID; exec sleep {nap}"
    done = await run(command("sh", "-c", killing))
    assert done.exit_code is None
    assert "supervisor" in done.fault
    assert gone(nap)


async def test_many_commands_run_beside_each_other(command):
    done = await asyncio.gather(*(run(command("sh", "-c", f"echo {number}")) for number in range(12)))
    assert [each.text.strip() for each in done] == [str(number) for number in range(12)]


def test_it_runs_in_a_loop_of_another_thread(command):
    import threading

    results = []
    thread = threading.Thread(target=lambda: results.append(asyncio.run(run(command("echo", "there")))))
    thread.start()
    thread.join()
    assert results[0].text == "there\n"


async def test_a_deaf_daemon_in_a_session_of_its_own_dies_at_the_time_out(command, nap: str, tmp_path: Path):
    deaf = DAEMON.replace("os.setsid()", "os.setsid(); import signal; signal.signal(15, signal.SIG_IGN)")
    (tmp_path / "daemon.py").write_text(deaf)
    done = await run(
        command("sh", "-c", f"{PYTHON} daemon.py {nap}; exec sleep {nap}", timeout_s=1.5, grace_s=0.2)
    )
    assert (done.timed_out, done.exit_code) == (True, None)
    assert gone(nap)


async def test_a_flood_that_never_ends_is_cut_off_in_time_and_in_size(command):
    done = await run(command("sh", "-c", "exec cat /dev/urandom", timeout_s=1.0, keep_bytes=10_000))
    assert done.timed_out
    assert done.dropped_bytes > 0
    assert len(done.stdout) < 11_000
    assert done.text
