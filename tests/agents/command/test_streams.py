"""The command driver over streams: recorded ones, played by a small program in place of the real one."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from setpoint.agents.command.agent import CommandAgent
from setpoint.agents.launch import Launch
from setpoint.agents.sessions import Sessions
from setpoint.model.attempt import BreakageKind, Stop
from setpoint.testing import SilentObserver

RECORDED = Path(__file__).parents[1] / "streams" / "recorded"


@pytest.fixture
def player(artifacts, tmp_path: Path) -> Callable[..., CommandAgent]:
    """Make a driver whose program is a shell script; `again` is the script that goes on with a session."""

    def make(stream: str, script: str, again: str = "", **keys) -> CommandAgent:
        argv = ("sh", "-c", script.replace("@", str(RECORDED)))
        resume = ("sh", "-c", again.replace("@", str(RECORDED)), "sh", "{session}") if again else ()
        launch = Launch(name="own", argv=argv, resume_argv=resume, protocol="command", stream=stream, **keys)
        return CommandAgent(launch, artifacts=artifacts, sessions=Sessions(tmp_path / "sessions"))

    return make


async def test_what_a_stream_tells_is_the_attempt(player, brief, artifacts) -> None:
    observer = SilentObserver()
    attempt = await player("claude", "cat @/claude.jsonl").attempt(brief(), observer)
    assert (attempt.stop, attempt.breakage, attempt.text) == (Stop.END_TURN, None, "Done, I think.")
    assert (attempt.tool_calls, attempt.tool_errors, attempt.version) == (4, 1, "2.1.328")
    assert [call.name for call in observer.calls] == ["Read", "Write", "Bash", "Bash"]
    assert (attempt.usage.input_tokens, attempt.usage.cost_usd) == (5000, Decimal("0.01875"))
    assert attempt.usage.scope == "turn"
    assert observer.usages[-1] == attempt.usage
    lines = [json.loads(line) for line in artifacts.read(attempt.transcript).splitlines()]
    assert [line["from"] for line in lines] == ["setpoint", *["agent"] * 11, "stderr"]
    assert lines[1]["message"]["type"] == "system"


async def test_a_feedback_round_goes_on_with_the_session_also_in_another_process(player, brief) -> None:
    make = lambda: player("claude", "cat @/claude.jsonl", 'echo "$1" > resumed; cat @/claude-resumed.jsonl')
    asked = brief()
    await make().attempt(asked, SilentObserver())
    second = await make().attempt(asked, SilentObserver())
    resumed = (Path(asked.workdir) / "resumed").read_text().strip()
    assert resumed == json.loads((RECORDED / "claude.jsonl").read_text().splitlines()[0])["session_id"]
    # The stream tells the session's cost; the second turn's own is the difference.
    assert (second.text, second.usage.cost_usd) == ("Checked again.", Decimal("0.00750"))
    fresh = await make().attempt(brief(session="s2"), SilentObserver())
    assert fresh.text == "Done, I think."


async def test_tokens_of_a_whole_thread_become_the_turns_own(player, brief) -> None:
    agent = player("codex", "cat @/codex.jsonl", "cat @/codex-resumed.jsonl")
    first = await agent.attempt(brief(), SilentObserver())
    second = await agent.attempt(brief(), SilentObserver())
    assert (first.usage.input_tokens, second.usage.input_tokens, second.usage.output_tokens) == (
        5000,
        2000,
        100,
    )


async def test_a_session_that_is_gone_is_begun_anew_in_the_same_attempt(player, brief) -> None:
    agent = player("claude", "cat @/claude.jsonl", "echo no such session >&2; exit 1")
    await agent.attempt(brief(), SilentObserver())
    second = await agent.attempt(brief(), SilentObserver())
    assert (second.stop, second.text, second.usage.cost_usd) == (
        Stop.END_TURN,
        "Done, I think.",
        Decimal("0.01875"),
    )


async def test_a_session_that_breaks_twice_is_left(player, brief, workdir: Path) -> None:
    broken = "head -n 6 @/codex-resumed.jsonl; kill -9 $$"
    agent = player("codex", "echo x >> fresh; head -n 5 @/codex.jsonl; kill -9 $$", broken)
    first = await agent.attempt(brief(), SilentObserver())
    assert first.breakage is not None
    for _ in range(2):
        await agent.attempt(brief(), SilentObserver())
    assert (workdir / "fresh").read_text() == "x\nx\n"


async def test_a_refused_key_ends_the_command_at_once(player, brief, living) -> None:
    attempt = await player("claude", "cat @/claude-401.jsonl; sleep 97.375").attempt(
        brief(), SilentObserver()
    )
    assert attempt.breakage is not None
    assert (attempt.stop, attempt.breakage.kind) == (Stop.BROKEN, BreakageKind.AUTH)
    assert living("97.375") == []


async def test_a_limit_that_is_not_lifted_in_time_is_told_as_such(player, brief) -> None:
    agent = player("claude", "cat @/claude-429.jsonl; sleep 60")
    attempt = await agent.attempt(brief(idle_s=0.5), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.RATE_LIMIT
    assert "for 0.5 s" in attempt.breakage.message


async def test_an_error_that_ends_with_exit_code_zero_is_a_breakage_all_the_same(player, brief) -> None:
    attempt = await player("pi", "cat @/pi-401.jsonl").attempt(brief(), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.AUTH


async def test_a_command_that_spends_too_much_is_ended_in_flight(player, brief, living) -> None:
    asked = brief()
    limits = asked.limits.model_copy(update={"cost_usd": Decimal("0.005")})
    agent = player("opencode", "head -n 6 @/opencode.jsonl; sleep 98.375; cat @/opencode.jsonl")
    attempt = await agent.attempt(asked.model_copy(update={"limits": limits}), SilentObserver())
    assert (attempt.stop, attempt.breakage, attempt.usage.cost_usd) == (
        Stop.CANCELLED,
        None,
        Decimal("0.00750"),
    )
    assert living("98.375") == []


async def test_a_command_that_goes_in_circles_is_ended(player, brief, living) -> None:
    line = (
        '{"type":"tool_execution_%s","toolCallId":"%s","toolName":"ls","args":{"path":"."},"isError":false}'
    )
    lines = "\n".join(line % (what, number) for number in range(9) for what in ("start", "end"))
    agent = player("pi", f"echo '{lines}'; sleep 99.375")
    attempt = await agent.attempt(brief(), SilentObserver(same_calls=3))
    assert (attempt.stop, attempt.tool_calls) == (Stop.CANCELLED, 3)
    assert living("99.375") == []


async def test_a_program_that_prints_something_else_is_told(player, brief) -> None:
    attempt = await player("codex", "echo hello").attempt(brief(), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.PROTOCOL
    assert "stream 'codex'" in attempt.breakage.message


async def test_chatter_between_events_is_kept_and_means_nothing(player, brief, artifacts) -> None:
    attempt = await player("gemini", "echo Warning: basic; cat @/gemini.jsonl; echo bye").attempt(
        brief(), SilentObserver()
    )
    assert (attempt.breakage, attempt.tool_calls) == (None, 4)
    assert b"Warning: basic" in artifacts.read(attempt.transcript)


async def test_the_model_is_an_argument_of_the_command(player, brief, workdir: Path) -> None:
    script = 'echo "$0 $1" > asked; cat @/pi.jsonl'
    agent = player("pi", script, model="big-one", model_argv=("--model", "{model}"))
    await agent.attempt(brief(), SilentObserver())
    assert (workdir / "asked").read_text() == "--model big-one\n"


SAME_CALLS = "\n".join(
    json.dumps({"type": kind, "message": {"content": [block]}})
    for number in range(9)
    for kind, block in (
        ("assistant", {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "make"}}),
        ("user", {"type": "tool_result", "tool_use_id": f"t{number}", "content": "no rule"}),
    )
)


async def test_after_circles_the_session_is_not_charged_once_more(player, brief) -> None:
    asked = brief()
    start = "head -n 1 @/claude.jsonl"
    in_circles = f"{start}; echo '{SAME_CALLS}'; sleep 97.375"
    costs = []
    for again in ("", in_circles, "cat @/claude-resumed.jsonl"):
        agent = player("claude", "cat @/claude.jsonl", again or "true")
        attempt = await agent.attempt(asked, SilentObserver(same_calls=3))
        costs.append((attempt.stop, attempt.usage.cost_usd))
    assert costs == [
        (Stop.END_TURN, Decimal("0.01875")),
        (Stop.CANCELLED, None),
        (Stop.END_TURN, Decimal("0.00750")),  # the session's 0.02625 less what was paid for before
    ]


async def test_odd_characters_of_an_agent_are_kept_as_escapes(player, brief) -> None:
    odd = {"type": "tool_use", "id": "t\ud800", "name": "Read", "input": {"file_path": "a\0b\ud800"}}
    lines = [
        {"type": "system", "subtype": "init", "session_id": "s\ud800", "model": "m\ud800"},
        {"type": "assistant", "message": {"content": [odd, {"type": "text", "text": "x\ud800"}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t\ud800"}]}},
    ]
    path = Path(brief().workdir) / "told.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    observer = SilentObserver()
    attempt = await player("claude", "cat told.jsonl", "true").attempt(brief(), observer)
    assert (attempt.breakage, attempt.text) == (None, "x\\ud800")
    assert [(call.id, call.files) for call in observer.calls] == [("t\\ud800", ("a\0b\\ud800",))]
    assert attempt.model_dump_json()
