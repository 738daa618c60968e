"""A turn over ACP as it should be: edits, tool calls, permissions, figures, sessions, transcript."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import pytest
from acp.schema import ToolCallLocation, ToolCallUpdate

from setpoint.agents.acp.permission import refusal_of
from setpoint.agents.acp.tool_calls import Calls
from setpoint.agents.launch import Quirks
from setpoint.model.attempt import Role, Stop
from setpoint.testing import SilentObserver

FIXED = "def add(a, b):\n    return a + b\n"
WRITE = {"write": "calc.py", "text": FIXED}


async def test_an_edit_is_made_and_everything_about_it_is_recorded(
    scripted, brief, workdir, artifacts
) -> None:
    agent = scripted(
        [
            {"say": "Looking."},
            {"shell": "exit 3"},
            WRITE,
            {"say": "Done."},
            {"usage": {"input": 900, "output": 50, "cached": 200}},
            {"cost": 0.25},
        ],
        version="7.1",
    )
    observer = SilentObserver()
    attempt = await agent.attempt(brief(), observer)
    assert (workdir / "calc.py").read_text() == FIXED
    assert (attempt.stop, attempt.breakage, attempt.version) == (Stop.END_TURN, None, "7.1")
    assert attempt.text == "Looking.\nDone."
    assert (attempt.tool_calls, attempt.tool_errors) == (2, 1)
    shell, write = observer.calls
    assert (shell.kind, shell.ok, shell.files) == ("execute", False, ())
    assert (write.name, write.kind, write.ok, write.files) == ("write", "edit", True, ("calc.py",))
    assert shell.duration_s is not None
    assert shell.duration_s > 0
    usage = attempt.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (900, 50, 200)
    assert (usage.cost_usd, usage.scope) == (Decimal("0.25"), "turn")
    assert observer.usages[-1] == usage
    assert attempt.transcript is not None
    lines = [json.loads(line) for line in artifacts.read(attempt.transcript).splitlines()]
    methods = [line["message"].get("method") for line in lines if line["from"] == "setpoint"]
    assert methods == ["initialize", "session/new", "session/prompt"]
    asked = next(line["message"] for line in lines if line["from"] == "setpoint")
    assert "fs" not in str(asked["params"].get("clientCapabilities", {}))


async def test_feedback_rounds_share_the_session_and_a_restart_opens_a_new_one(
    scripted, brief, artifacts
) -> None:
    agent = scripted(
        [{"say": "one"}, {"cost": 0.5}],
        [{"expect": "and now this"}, {"say": "two"}, {"cost": 0.25}],
        counter="played",
    )
    first = await agent.attempt(brief(), SilentObserver())
    second = await agent.attempt(brief("and now this"), SilentObserver())
    assert (first.text, first.usage.cost_usd) == ("one", Decimal("0.5"))
    assert (second.text, second.usage.cost_usd) == ("two", Decimal("0.25"))
    assert b"session/new" not in artifacts.read(second.transcript)
    third = await agent.attempt(brief(session="s2"), SilentObserver())
    assert b"session/new" in artifacts.read(third.transcript)
    assert third.text == "Nothing left to do, all is done."


async def test_session_cumulative_tokens_become_the_attempts_own(scripted, brief) -> None:
    agent = scripted(
        [{"usage": {"input": 100, "output": 10}}],
        [{"usage": {"input": 350, "output": 25}}],
        quirks={"usage_scope": "session"},
    )
    first = await agent.attempt(brief(), SilentObserver())
    second = await agent.attempt(brief(), SilentObserver())
    assert (first.usage.input_tokens, first.usage.output_tokens) == (100, 10)
    assert (second.usage.input_tokens, second.usage.output_tokens, second.usage.scope) == (250, 15, "turn")


async def test_figures_of_the_last_call_say_so_and_unknown_ones_are_none(scripted, brief) -> None:
    agent = scripted(
        [{"usage": {"input": 9, "output": 1}}], [{"say": "hm"}], quirks={"usage_scope": "last_call"}
    )
    last = await agent.attempt(brief(), SilentObserver())
    unknown = await agent.attempt(brief(), SilentObserver())
    assert last.usage.scope == "last_call"
    assert (unknown.usage.input_tokens, unknown.usage.cost_usd, unknown.usage.scope) == (
        None,
        None,
        "unknown",
    )


async def test_another_currency_is_not_taken_for_dollars(scripted, brief) -> None:
    agent = scripted([{"cost": 3, "currency": "EUR"}])
    assert (await agent.attempt(brief(), SilentObserver())).usage.cost_usd is None


@pytest.mark.parametrize("end", [{"sleep": 60}, {"hang": "deaf"}])
async def test_an_attempt_that_has_no_money_left_is_stopped_in_flight(
    end, scripted, brief, workdir, living, tmp_path
) -> None:
    agent = scripted([{"cost": 0.25}, WRITE, {"cost": 0.5}, {"daemon": 93.125}, end])
    asked = brief()
    limits = asked.limits.model_copy(update={"cost_usd": Decimal("0.6")})
    attempt = await agent.attempt(asked.model_copy(update={"limits": limits}), SilentObserver())
    assert (attempt.stop, attempt.breakage, attempt.usage.cost_usd) == (Stop.CANCELLED, None, Decimal("0.75"))
    assert (workdir / "calc.py").read_text() == FIXED
    assert living(str(tmp_path)) == living("93.125") == []


async def test_an_edit_in_the_work_copy_is_allowed_when_the_agent_asks(scripted, brief, workdir) -> None:
    agent = scripted([{**WRITE, "ask": True}])
    attempt = await agent.attempt(brief(), SilentObserver())
    assert (workdir / "calc.py").read_text() == FIXED
    assert (attempt.tool_calls, attempt.tool_errors) == (1, 0)


async def test_an_edit_outside_the_work_copy_is_refused_also_through_a_link(
    scripted, brief, workdir, tmp_path
) -> None:
    (workdir / "link").symlink_to(tmp_path)
    agent = scripted(
        [
            {"write": str(tmp_path / "a"), "text": "x", "ask": True},
            {"write": "link/b", "text": "x", "ask": True},
        ],
    )
    observer = SilentObserver()
    attempt = await agent.attempt(brief(), observer)
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "b").exists()
    assert [(call.ok, call.files) for call in observer.calls] == [
        (False, (str(tmp_path / "a"),)),
        (False, (str(tmp_path / "b"),)),
    ]
    assert all("outside the work copy; use the working directory" in call.refused for call in observer.calls)
    assert (attempt.stop, attempt.tool_calls, attempt.tool_errors) == (Stop.END_TURN, 2, 0)


def test_what_a_sandbox_holds_may_look_outside_and_change_nothing_there(tmp_path) -> None:
    calls = Calls(tmp_path, Quirks(), lambda _: None, lambda _: None)
    refused = {}
    for kind in ("read", "execute", "edit"):
        call = ToolCallUpdate(tool_call_id=kind, kind=kind, locations=[ToolCallLocation(path="/etc/hosts")])
        calls.told(call)
        refused[kind] = [bool(refusal_of(call, calls, Role.MAKER, held=held)) for held in (True, False)]
    assert refused == {"read": [False, True], "execute": [False, True], "edit": [True, True]}


@pytest.mark.parametrize(
    ("role", "refused"), [(Role.PLANNER, "a planner changes no file"), (Role.REVIEWER, "")]
)
async def test_a_reviewer_may_write_in_its_copy_and_a_planner_may_not(
    scripted, brief, workdir, role, refused
) -> None:
    agent = scripted([{**WRITE, "ask": True}, {"say": "approve"}])
    observer = SilentObserver()
    attempt = await agent.attempt(brief(role=role), observer)
    assert ("a - b" in (workdir / "calc.py").read_text()) is bool(refused)
    assert (attempt.tool_errors, attempt.text) == (0, "approve")
    assert [call.refused.partition(";")[0] for call in observer.calls] == [refused]


async def test_a_review_in_between_leaves_the_makers_session_open(scripted, brief, artifacts) -> None:
    agent = scripted([{"say": "one"}], [{"say": "two"}])
    await agent.attempt(brief(), SilentObserver())
    review = await agent.attempt(brief(role=Role.REVIEWER, session="review"), SilentObserver())
    again = await agent.attempt(brief(), SilentObserver())
    assert (review.text, again.text) == ("one", "two")
    assert b"session/new" not in artifacts.read(again.transcript)


async def test_roles_may_work_at_the_same_time(scripted, brief, artifacts) -> None:
    agent = scripted([{"sleep": 0.2}, {"say": "done"}])
    maker, reviewer = await asyncio.gather(
        agent.attempt(brief(), SilentObserver()),
        agent.attempt(brief(role=Role.REVIEWER, session="review"), SilentObserver()),
    )
    assert (maker.text, reviewer.text) == ("done", "done")
    assert artifacts.read(maker.transcript).count(b"session/prompt") == 1


async def test_the_same_call_with_the_same_result_has_the_same_hash(scripted, brief) -> None:
    call = {"name": "grep", "kind": "search", "ok": True, "input": {"for": "x"}, "output": "none"}
    agent = scripted([{"call": call, "times": 2}, {"call": {**call, "output": "one"}}])
    observer = SilentObserver()
    await agent.attempt(brief(), observer)
    first, second, third = (each.result_hash for each in observer.calls)
    assert first == second != third


async def test_secrets_that_were_handed_on_stay_out_of_transcript_and_text(
    scripted, brief, workdir, artifacts, monkeypatch
) -> None:
    monkeypatch.setenv("MY_TEST_KEY", "sk-very-secret-value")
    agent = scripted(
        [{"shell": 'printf %s "$MY_TEST_KEY $MY_OTHER" | tee seen'}, {"say": "key sk-very-secret-value"}],
        pass_environment=("MY_TEST_KEY",),
        environment={"MY_OTHER": "plain"},
    )
    attempt = await agent.attempt(brief(), SilentObserver())
    assert (workdir / "seen").read_text() == "sk-very-secret-value plain"
    assert attempt.text == "key [MY_TEST_KEY]"
    assert b"sk-very-secret" not in artifacts.read(attempt.transcript)


async def test_what_is_not_handed_on_the_agent_does_not_see(scripted, brief, workdir, monkeypatch) -> None:
    monkeypatch.setenv("MY_TEST_KEY", "sk-very-secret-value")
    agent = scripted([{"shell": "env > seen"}])
    await agent.attempt(brief(), SilentObserver())
    assert "MY_TEST_KEY" not in (workdir / "seen").read_text()


async def test_trying_out_gives_the_version_and_leaves_nothing_running(
    scripted, tmp_path: Path, living
) -> None:
    agent = scripted(version="3.2")
    assert await agent.try_out(tmp_path) == "3.2"
    assert living(str(tmp_path)) == []


async def test_closing_that_is_cancelled_at_once_still_ends_the_process(
    scripted, brief, tmp_path: Path, living
) -> None:
    agent = scripted([WRITE])
    await agent.attempt(brief(), SilentObserver())
    assert living(str(tmp_path))
    closing = asyncio.create_task(agent.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert living(str(tmp_path)) == []
