"""Whatever an agent does wrong ends as the right breakage, and leaves no process behind."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from setpoint.agents.acp.agent import AcpAgent, Patience
from setpoint.agents.launch import Launch
from setpoint.model.attempt import BreakageKind, Stop
from setpoint.testing import SilentObserver

SLOW = {"wall_s": 1.5}
SILENT = {"idle_s": 0.75}
FAULTS = {
    "dies": (
        [{"die": 7, "text": "out of luck"}],
        {},
        BreakageKind.CRASH,
        "exit code 7); its last output: out of luck",
    ),
    "dies of a signal": ([{"shell": "kill -9 $PPID"}], {}, BreakageKind.CRASH, "signal 9"),
    "hangs": ([{"hang": "politely"}], SLOW, BreakageKind.TIMEOUT, "1.5 s"),
    "hangs and is deaf": ([{"hang": "deaf"}], SLOW, BreakageKind.TIMEOUT, "1.5 s"),
    "falls silent": ([{"say": "hm"}, {"sleep": 60}], SILENT, BreakageKind.IDLE, "no sign of life for 0.75 s"),
    "speaks something else": ([{"garbage": 100_000}], {}, BreakageKind.PROTOCOL, "this is not a message"),
    "answers nonsense": ([{"stop": "because"}], {}, BreakageKind.PROTOCOL, "answer"),
    "wants a login": ([{"fail": "auth"}], {}, BreakageKind.AUTH, "Authentication required"),
    "is limited": ([{"fail": "rate_limit"}], {}, BreakageKind.RATE_LIMIT, "429"),
    "has no model": ([{"fail": "model"}], {}, BreakageKind.OVERLOAD, "503"),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_each_fault_ends_as_its_breakage(
    fault: str, scripted, brief, artifacts, living, tmp_path: Path
) -> None:
    steps, limits, kind, words = FAULTS[fault]
    agent = scripted([], [{"daemon": 97.125}, {"cost": 0.5}, *steps])
    await agent.attempt(brief(), SilentObserver())  # the start is not what is timed
    attempt = await agent.attempt(brief(**limits), SilentObserver())
    assert attempt.breakage is not None
    assert (attempt.stop, attempt.breakage.kind) == (Stop.BROKEN, kind)
    assert words in attempt.breakage.message
    assert str(attempt.usage.cost_usd) == "0.5"
    assert b"session/prompt" in artifacts.read(attempt.transcript)
    await agent.close()
    assert living(str(tmp_path)) == []
    assert living("97.125") == []


async def test_after_a_breakage_the_next_attempt_works(scripted, brief, workdir) -> None:
    agent = scripted([{"die": 1}], [{"write": "calc.py", "text": "fine\n"}], counter="played")
    assert (await agent.attempt(brief(), SilentObserver())).stop is Stop.BROKEN
    second = await agent.attempt(brief(), SilentObserver())
    assert (second.stop, (workdir / "calc.py").read_text()) == (Stop.END_TURN, "fine\n")


async def test_after_a_rate_limit_the_session_goes_on(scripted, brief, artifacts) -> None:
    agent = scripted([{"fail": "rate_limit"}], [{"say": "back"}])
    await agent.attempt(brief(), SilentObserver())
    again = await agent.attempt(brief(), SilentObserver())
    assert again.text == "back"
    assert b"initialize" not in artifacts.read(again.transcript)


async def test_a_flood_on_stderr_neither_blocks_nor_matters(scripted, brief, tmp_path: Path) -> None:
    agent = scripted([{"stderr": 20_000_000}, {"say": "still here"}])
    attempt = await agent.attempt(brief(), SilentObserver())
    assert (attempt.stop, attempt.text) == (Stop.END_TURN, "still here")
    await agent.close()
    assert list((tmp_path / "scratch").rglob("*.stderr")) == []


async def test_chatter_between_messages_is_tolerated(scripted, brief, caplog) -> None:
    unknown = {"method": "vendor/news", "params": {}}
    agent = scripted(
        [{"garbage": 50, "text": "[]"}, {"raw": unknown}, {"say": "a"}, {"garbage": 50}, {"say": "b"}]
    )
    attempt = await agent.attempt(brief(), SilentObserver())
    assert (attempt.stop, attempt.text) == (Stop.END_TURN, "ab")
    assert caplog.records == []


async def test_messages_that_break_the_protocol_are_passed_over_in_silence(
    scripted, brief, caplog, capfd
) -> None:
    bad_update = {"method": "session/update", "params": {"sessionId": 5}}
    bad_question = {"id": "q1", "method": "session/request_permission", "params": {"options": "none"}}
    unknown = {"id": "q2", "method": "vendor/question"}
    agent = scripted([{"raw": bad_update}, {"raw": bad_question}, {"raw": unknown}, {"say": "on I go"}])
    attempt = await agent.attempt(brief(), SilentObserver())
    assert (attempt.stop, attempt.text) == (Stop.END_TURN, "on I go")
    assert caplog.records == []
    assert capfd.readouterr().err == ""


async def test_a_line_of_ten_megabytes_is_one_message(scripted, brief) -> None:
    agent = scripted([{"say": "x", "times": 10_000_000}, {"stop": "max_tokens"}])
    attempt = await agent.attempt(brief(), SilentObserver())
    assert (attempt.stop, len(attempt.text)) == (Stop.MAX_TOKENS, 200_000)


async def test_open_calls_of_a_turn_that_ran_out_of_time_are_failed(scripted, brief) -> None:
    agent = scripted([], [{"call": {"name": "think", "kind": "think"}}, {"hang": "politely"}])
    observer = SilentObserver()
    await agent.attempt(brief(), observer)
    attempt = await agent.attempt(brief(wall_s=1), observer)
    assert [(call.name, call.ok) for call in observer.calls] == [("think", False)]
    assert (attempt.tool_calls, attempt.tool_errors) == (1, 1)


@pytest.mark.parametrize("hang", ["politely", "deaf"])
async def test_cancelling_an_attempt_ends_every_process(
    hang: str, scripted, brief, living, tmp_path: Path
) -> None:
    agent = scripted([{"daemon": 98.125}, {"say": "x"}, {"hang": hang}])
    task = asyncio.create_task(agent.attempt(brief(), SilentObserver()))
    while not living("98.125"):  # noqa: ASYNC110 - another process starts it
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert living(str(tmp_path)) == []
    assert living("98.125") == []


async def test_a_missing_program_says_how_to_get_it(artifacts, brief, tmp_path: Path) -> None:
    launch = Launch(name="ghost", argv=("no-such-agent", "--acp"), install="npm install -g ghost")
    agent = AcpAgent(launch, artifacts=artifacts, scratch=tmp_path / "scratch")
    attempt = await agent.attempt(brief(), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.MISSING
    assert "npm install -g ghost" in attempt.breakage.message


DOOMED = """
import asyncio, sys
from pathlib import Path
from setpoint.agents.acp.agent import AcpAgent
from setpoint.agents.launch import Launch
from setpoint.model.attempt import Brief
from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import SilentObserver

folder, brief = Path(sys.argv[1]), Brief.model_validate_json(sys.argv[2])
argv = (sys.executable, "-m", "setpoint.agents.scripted", str(folder / "s.json"))
launch = Launch(name="scripted", argv=argv)
agent = AcpAgent(launch, artifacts=Artifacts(folder / "kept"), scratch=folder / "scratch")
asyncio.run(agent.attempt(brief, SilentObserver()))
"""


async def test_when_setpoint_is_killed_the_agent_and_its_daemon_end_too(
    brief, living, tmp_path: Path
) -> None:
    script = {"prompts": [[{"daemon": 95.125}, {"shell": "sleep 95.125"}, {"hang": "deaf"}]]}
    (tmp_path / "s.json").write_text(json.dumps(script))
    argv = [sys.executable, "-c", DOOMED, str(tmp_path), brief().model_dump_json()]
    setpoint = await asyncio.create_subprocess_exec(*argv)
    async with asyncio.timeout(30):
        while len(living("95.125")) < 2:  # noqa: ASYNC110 - other processes start them
            await asyncio.sleep(0.02)
        setpoint.kill()
        await setpoint.wait()
        while living("95.125") or living(str(tmp_path)):  # noqa: ASYNC110 - other processes end them
            await asyncio.sleep(0.02)


OPENINGS = {
    "initialize": ([{"die": 3}], BreakageKind.CRASH, "exit code 3"),
    "session/new": ([{"fail": "auth"}], BreakageKind.AUTH, "ghost login"),
}


@pytest.mark.parametrize("method", OPENINGS)
async def test_faults_before_the_first_prompt(method: str, scripted, brief, living, tmp_path: Path) -> None:
    steps, kind, _ = OPENINGS[method]
    agent = scripted(on={method: steps})
    attempt = await agent.attempt(brief(), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is kind
    assert living(str(tmp_path)) == []


async def test_a_program_that_is_no_agent_is_told_from_a_slow_one(artifacts, brief, tmp_path: Path) -> None:
    launch = Launch(name="cat", argv=("sh", "-c", "echo Please log in; sleep 60"))
    patience = Patience(open_s=1.5, cancel_s=0.1, grace_s=0.1)
    agent = AcpAgent(launch, artifacts=artifacts, scratch=tmp_path / "scratch", patience=patience)
    attempt = await agent.attempt(brief(), SilentObserver())
    assert attempt.breakage is not None
    assert attempt.breakage.kind is BreakageKind.PROTOCOL
    assert "Please log in" in attempt.breakage.message


async def test_an_error_that_is_told_as_text_is_a_breakage_where_the_agent_is_known_for_it(
    scripted, brief
) -> None:
    agent = scripted(
        [{"say": "Info: again..."}, {"say": "Error: 401 from the model"}], quirks={"error_as_text": "Error:"}
    )
    broken = await agent.attempt(brief(), SilentObserver())
    assert broken.breakage is not None
    assert broken.breakage.kind is BreakageKind.MODEL


async def test_the_same_text_from_any_other_agent_or_after_work_is_just_text(scripted, brief) -> None:
    talker = scripted([{"say": "Error: 429 rate limit, authentication required"}])
    assert (await talker.attempt(brief(), SilentObserver())).stop is Stop.END_TURN
    worker = scripted([{"shell": "true"}, {"say": "Error: none left"}], quirks={"error_as_text": "Error:"})
    assert (await worker.attempt(brief(), SilentObserver())).stop is Stop.END_TURN


async def test_an_error_as_the_last_words_after_work_counts_in_the_form_of_the_agent(scripted, brief) -> None:
    quirks = {"error_as_text": "Error:", "status_in_error": r"Error: .* \(HTTP (\d{3})\)"}
    work = [{"shell": "true"}, {"say": "Error: refused (HTTP 401)"}]
    broken = await scripted(work, quirks=quirks).attempt(brief(), SilentObserver())
    assert broken.breakage is not None
    assert (broken.breakage.kind, broken.breakage.status) == (BreakageKind.AUTH, 401)
    recovered = [*work, {"say": "It works after all."}]
    assert (await scripted(recovered, quirks=quirks).attempt(brief(), SilentObserver())).stop is Stop.END_TURN
