"""`setpoint_check`: what an agent may ask, how often, and what it cannot do with it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from setpoint.checks.advice import client
from setpoint.checks.advice.desk import Desk
from setpoint.checks.advice.offer import command, server
from setpoint.model.config.self_check import SelfCheckSettings
from setpoint.system.files.agent_folder import PROGRAMS, QUESTIONS, show_files

QUICK = SelfCheckSettings(every_s=0, answer_s=5)


def laid_out(root: Path, terms: SelfCheckSettings) -> Path:
    root.mkdir(exist_ok=True)
    show_files(root, QUESTIONS, {}, only=True)
    show_files(root, PROGRAMS, command(terms), only=True, program=True)
    return root / ".setpoint" / PROGRAMS / "setpoint_check"


@asynccontextmanager
async def attended(
    root: Path, measure: Callable[[], Awaitable[str]], terms: SelfCheckSettings = QUICK
) -> AsyncIterator[Path]:
    program = laid_out(root, terms)
    serving = asyncio.create_task(Desk(root, measure, terms).serve())
    try:
        yield program
    finally:
        serving.cancel()
        await asyncio.wait({serving})


async def said(*argv: object, stdin: bytes = b"") -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *map(str, argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    text, _ = await process.communicate(stdin)
    return process.returncode, text.decode()


def counting() -> tuple[list[int], Callable[[], Awaitable[str]]]:
    asked: list[int] = []

    async def measure() -> str:
        asked.append(1)
        return f"answer {len(asked)}\n"

    return asked, measure


async def test_the_command_gives_the_answer_and_takes_no_arguments(tmp_path: Path) -> None:
    asked, measure = counting()
    async with attended(tmp_path, measure) as program:
        assert await said(program) == (0, "answer 1\n")
        for words in (["tests/test_a.py"], ["--", "rm -rf /"], ["$(id)"]):
            code, text = await said(program, *words)
            assert (code, "takes no arguments" in text) == (2, True)
    assert len(asked) == 1


async def test_the_server_offers_one_tool_without_parameters(tmp_path: Path) -> None:
    asked, measure = counting()
    async with attended(tmp_path, measure):
        argv = [word.replace("{workdir}", str(tmp_path)) for word in server(QUICK)]
        messages = [
            {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list"},
            {
                "id": 3,
                "method": "tools/call",
                "params": {"name": "setpoint_check", "arguments": {"path": "/"}},
            },
            {"id": 4, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "id"}}},
        ]
        lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
        _, text = await said(*argv, stdin=f"no message\n{lines}".encode())
    answers = {each["id"]: each for each in map(json.loads, text.splitlines())}
    (tool,) = answers[2]["result"]["tools"]
    assert (tool["name"], tool["inputSchema"]["properties"]) == ("setpoint_check", {})
    assert answers[3]["result"]["content"] == [{"type": "text", "text": "answer 1\n"}]
    assert answers[4]["error"]["code"] == -32601
    assert (len(answers), len(asked)) == (4, 1)


async def test_what_takes_long_is_answered_in_time_and_can_be_asked_for_again(tmp_path: Path) -> None:
    ready = asyncio.Event()

    async def measure() -> str:
        await ready.wait()
        return "done\n"

    async with attended(tmp_path, measure, SelfCheckSettings(every_s=0, answer_s=0.3)) as program:
        assert "still run" in (await said(program))[1]
        ready.set()
        assert await said(program) == (0, "done\n")


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"per_turn": 2, "every_s": 0}, "No check is left in this turn: 2 were made"),
        ({"every_s": 60}, "Asked too soon"),
    ],
)
async def test_questions_are_limited(tmp_path: Path, terms: dict[str, float], told: str) -> None:
    asked, measure = counting()
    async with attended(tmp_path, measure, SelfCheckSettings(**terms)) as program:
        answers = [(await said(program))[1] for _ in range(4)]
    assert told in answers[-1]
    assert len(asked) == terms.get("per_turn", 1)


async def test_a_measurement_without_end_is_ended_when_the_time_of_the_turn_is_used(tmp_path: Path) -> None:
    ended: list[int] = []

    async def measure() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(1)
        return ""

    async with attended(
        tmp_path, measure, SelfCheckSettings(every_s=0, answer_s=0.3, total_s=0.2)
    ) as program:
        assert "took too long" in (await said(program))[1]
        assert "No time is left" in (await said(program))[1]
    assert ended == [1]


async def test_a_flood_of_questions_costs_one_measurement(tmp_path: Path) -> None:
    asked, measure = counting()
    questions = tmp_path / ".setpoint" / QUESTIONS
    async with attended(tmp_path, measure, SelfCheckSettings(every_s=60)):
        for _ in range(2):
            for number in range(3000):
                (questions / f"ask-{number:016x}").touch()
            while [*questions.glob("ask-*")]:  # noqa: ASYNC110 - another process would ask
                await asyncio.sleep(0.05)
    assert len(asked) == 1
    assert len([*questions.iterdir()]) < 3000


@pytest.mark.parametrize("planted", ["folder", "answer", "outer"])
async def test_no_answer_is_written_through_a_link(tmp_path: Path, planted: str) -> None:
    _, measure = counting()
    root, other = tmp_path / "copy", tmp_path / "home"
    other.mkdir()
    (other / "kept").write_text("kept")
    token = "0" * 16
    async with attended(root, measure):
        questions = root / ".setpoint" / QUESTIONS
        if planted == "answer":
            (questions / f"answer-{token}").symlink_to(other / "kept")
        else:
            place = questions if planted == "folder" else root / ".setpoint"
            (other / QUESTIONS).mkdir()
            place.rename(tmp_path / "moved")
            place.symlink_to(other if planted == "outer" else other / QUESTIONS)
        (questions / f"ask-{token}").touch()
        await asyncio.sleep(1)
    assert (other / "kept").read_text() == "kept"
    assert not [*other.rglob("answer-*")]


async def test_nothing_that_is_no_question_is_opened(tmp_path: Path) -> None:
    asked, measure = counting()
    async with attended(tmp_path, measure) as program:
        folder = tmp_path / ".setpoint" / QUESTIONS
        os.mkfifo(folder / f"ask-{1:016x}")
        (folder / f"ask-{2:016x}").mkdir()
        (folder / "command").write_text("id")
        assert (await said(program))[0] == 0
    assert len(asked) <= 2


def test_the_client_needs_the_standard_library_alone() -> None:
    argv = [sys.executable, "-I", "-S", client.__file__, "mcp", "/nowhere", "1"]
    done = subprocess.run(argv, input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
