from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from setpoint.agents.command.agent import CommandAgent
from setpoint.agents.launch import Launch
from setpoint.model.attempt import BreakageKind, Stop
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import SilentObserver


@pytest.fixture
def command(artifacts: Artifacts) -> Callable[..., CommandAgent]:
    def make(*argv: str, **keys) -> CommandAgent:
        return CommandAgent(Launch(name="own", argv=argv, protocol="command", **keys), artifacts=artifacts)

    return make


async def test_prompt_and_folder_are_put_into_the_arguments(command, brief, workdir: Path) -> None:
    agent = command(
        "sh", "-c", 'cd "$1"; printf "%s" "$2" > asked; cat; echo done', "sh", "{workdir}", "{prompt}"
    )
    attempt = await agent.attempt(brief("fix $HOME; 'now'"), SilentObserver())
    assert (workdir / "asked").read_text() == "fix $HOME; 'now'"
    assert (attempt.stop, attempt.text, attempt.usage.cost_usd) == (Stop.END_TURN, "done", None)


async def test_the_prompt_comes_on_standard_input_where_no_argument_asks_for_it(
    command, brief, artifacts
) -> None:
    attempt = await command("cat").attempt(brief("ünïcode\n"), SilentObserver())
    assert attempt.text == "ünïcode"
    lines = [json.loads(line) for line in artifacts.read(attempt.transcript).splitlines()]
    assert [(line["from"], line["text"]) for line in lines] == [
        ("setpoint", "ünïcode\n"),
        ("stdout", "ünïcode\n"),
        ("stderr", ""),
    ]


ENDS = {
    "silent failure": ("echo why >&2; exit 3", {}, BreakageKind.CRASH, "exit code 3); its last output: why"),
    "traceback": (
        "exec python3 -c 'def f(n): f(n - 1) if n else open(\"/no/where\")\nf(9)'",
        {},
        BreakageKind.CRASH,
        "exit code 1); its last output: FileNotFoundError: [Errno 2] No such file or directory",
    ),
    "signal": ("echo x; kill -9 $$", {}, BreakageKind.CRASH, "signal 9"),
    "too slow": ("sleep 60", {"wall_s": 0.3}, BreakageKind.TIMEOUT, "0.3 s"),
    "too quiet": ("echo x; sleep 60", {"idle_s": 0.3}, BreakageKind.IDLE, "0.3 s"),
}


@pytest.mark.parametrize("end", ENDS)
async def test_bad_ends_are_breakages(end: str, command, brief) -> None:
    script, limits, kind, words = ENDS[end]
    attempt = await command("sh", "-c", script).attempt(brief(**limits), SilentObserver())
    assert attempt.breakage is not None
    assert (attempt.stop, attempt.breakage.kind) == (Stop.BROKEN, kind)
    assert words in attempt.breakage.message


async def test_a_failure_with_words_is_an_end_of_turn(command, brief) -> None:
    attempt = await command("sh", "-c", "echo two problems left; exit 1").attempt(brief(), SilentObserver())
    assert (attempt.stop, attempt.text) == (Stop.END_TURN, "two problems left")


async def test_a_missing_program_is_named(command, brief) -> None:
    attempt = await command("no-such-agent").attempt(brief(), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING
    assert "no-such-agent" in attempt.breakage.message


async def test_cancelling_leaves_nothing_running(command, brief, living, workdir: Path) -> None:
    agent = command("sh", "-c", "touch begun; (sleep 96.125 &) ; sleep 96.125")
    task = asyncio.create_task(agent.attempt(brief(), SilentObserver()))
    while not living("96.125"):  # noqa: ASYNC110 - another process starts it
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert living("96.125") == []


async def test_secrets_stay_out_of_what_is_kept(command, brief, artifacts, monkeypatch) -> None:
    monkeypatch.setenv("MY_TEST_KEY", "sk-very-secret-value")
    agent = command("sh", "-c", "echo $MY_TEST_KEY", pass_environment=("MY_TEST_KEY",))
    attempt = await agent.attempt(brief(), SilentObserver())
    assert attempt.text == "[MY_TEST_KEY]"
    assert b"sk-very" not in artifacts.read(attempt.transcript)


async def test_a_prompt_that_is_too_long_for_an_argument_is_told_as_such(brief, artifacts) -> None:
    launch = Launch(name="own", argv=("echo", "{prompt}"), protocol="command")
    agent = CommandAgent(launch, artifacts=artifacts)
    attempt = await agent.attempt(brief("x" * 200_000), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING
    assert (
        "the prompt (200000 bytes) is too long for an argument; leave {prompt} out"
        in attempt.breakage.message
    )


async def test_a_key_of_the_settings_stays_out_of_what_is_kept(brief, artifacts) -> None:
    launch = Launch(
        name="own",
        argv=("sh", "-c", "echo $OWN_TOKEN"),
        protocol="command",
        environment={"OWN_TOKEN": "tok-0123456789"},
    )
    attempt = await CommandAgent(launch, artifacts=artifacts).attempt(brief(), SilentObserver())
    assert attempt.text == "[OWN_TOKEN]"
    assert attempt.transcript is not None
    assert b"tok-0123456789" not in artifacts.read(attempt.transcript)
