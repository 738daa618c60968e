"""What goes over standard output is the protocol alone, and nothing remains of a session that ends."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.hooks.conftest import GOOD, TEST
from checks.conftest import git, write

OPENING = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
)
WITHOUT = "import sys; sys.modules['mcp'] = None; from setpoint.cli.app import main; main()"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    loud = "import os, sys\n\nprint('loud')\nos.write(1, b'louder')\n"
    write(root, {"calc.py": GOOD, "conftest.py": loud, "test_calc.py": f"print('loudest')\n{TEST}"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    return root


def started(root: Path, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "setpoint", "mcp"],
        cwd=root, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def send(process: subprocess.Popen[str], *messages: object) -> None:
    for each in messages:
        process.stdin.write(f"{each if isinstance(each, str) else json.dumps(each)}\n")
    process.stdin.flush()


def called(number: int, tool: str, **arguments: object) -> dict[str, object]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_standard_output_holds_nothing_but_the_protocol(root, environment) -> None:
    (root / "calc.py").write_text(GOOD + "# one more\n")
    process = started(root, environment)
    send(
        process, *OPENING, "{nonsense", '{"jsonrpc": "2.0"}', called(2, "check"), called(3, "check", since=7)
    )
    send(process, {"jsonrpc": "2.0", "id": 4, "method": "nothing/known"})
    answers: dict[int, dict[str, object]] = {}
    while len(answers) < 4:
        message = json.loads(process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        if "id" in message:
            answers[message["id"]] = message
    rest, errors = process.communicate(timeout=60)

    assert rest == ""
    assert process.returncode == 0, errors
    assert answers[1]["result"]["serverInfo"]["name"] == "setpoint"
    assert "nothing is wrong" in answers[2]["result"]["content"][0]["text"]
    assert answers[3]["result"]["isError"] is True
    assert answers[4]["error"]["code"] == -32601


async def test_what_runs_code_or_records_something_is_not_marked_as_read_only(root, connect) -> None:
    async with connect(root) as agent:
        tools = (await agent.client.list_tools()).tools

    assert {each.name for each in tools if not each.annotations.read_only_hint} == {
        "check",
        "record_feedback",
        "start_run",
    }
    assert all(each.description and each.input_schema["additionalProperties"] is False for each in tools)


def test_a_check_ends_with_the_session(root, environment, tmp_path) -> None:
    sleeping = f"import os, pathlib, time\n\n\ndef test_slow():\n    pathlib.Path({str(tmp_path / 'pid')!r})"
    (root / "test_slow.py").write_text(f"{sleeping}.write_text(str(os.getpid()))\n    time.sleep(600)\n")
    process = started(root, environment)
    send(process, *OPENING, called(2, "check"))
    until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    process.communicate(timeout=60)

    pid = (tmp_path / "pid").read_text()
    until(lambda: not Path(f"/proc/{pid}").exists())
    assert process.returncode == 0


def test_without_the_extra_the_verb_says_how_to_install_it(root, environment) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, "mcp"],
        cwd=root, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (2, "")
    assert "the MCP server needs 'mcp" in done.stderr
    assert "pip install 'setpoint[mcp]'" in done.stderr


def until(seen) -> None:
    for _ in range(900):
        if seen():
            return
        time.sleep(0.1)
    raise AssertionError("it does not happen")
