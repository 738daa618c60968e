"""What real agents do that the protocol does not say, each seen in at least one of them.

- standard error that nobody reads, wrappers and their children, lines of any length, chatter between
  messages, an error told as text: `test_faults`
- a call first told of in the question whether it is allowed, or never begun: unannounced calls, here
- diffs told twice, without the old text; calls that end twice: here
- a cancelled call that is told as completed, or left open: cut short, here
- an agent that ends neither with its input nor by SIGTERM: `test_acp`, no money left
- a session's past told again when it is loaded; a session that is gone: `test_acp_sessions`
- identifiers of options that mean nothing, no file system offered: `test_acp`
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from setpoint.model.attempt import BreakageKind, Stop, ToolCall
from setpoint.testing import SilentObserver


async def test_calls_may_be_unannounced(scripted, brief, workdir: Path) -> None:
    news = {"sessionUpdate": "tool_call_update", "toolCallId": "late", "title": "look", "kind": "read"}
    agent = scripted(
        [
            {"write": "calc.py", "text": "x = 1\n", "ask": True, "unannounced": True},
            {"news": {**news, "status": "completed", "locations": [{"path": str(workdir / "calc.py")}]}},
        ]
    )
    observer = SilentObserver()
    await agent.attempt(brief(), observer)
    assert (workdir / "calc.py").read_text() == "x = 1\n"
    assert [(call.kind, call.ok, call.files) for call in observer.calls] == [
        ("edit", True, ("calc.py",)),
        ("read", True, ("calc.py",)),
    ]


async def test_a_diff_that_is_told_twice_is_one_call_with_one_file(scripted, brief, workdir: Path) -> None:
    diff = {"type": "diff", "path": str(workdir / "calc.py"), "oldText": None, "newText": "x"}
    told = {"toolCallId": "w", "title": "write", "kind": "edit", "content": [diff]}
    agent = scripted(
        [
            {"news": {"sessionUpdate": "tool_call", "status": "pending", **told}},
            {"news": {"sessionUpdate": "tool_call_update", **told, "content": [diff, diff]}},
            {"news": {"sessionUpdate": "tool_call_update", **told, "status": "completed"}},
            {"news": {"sessionUpdate": "tool_call_update", **told, "status": "completed"}},
        ]
    )
    observer = SilentObserver()
    attempt = await agent.attempt(brief(), observer)
    assert attempt.tool_calls == 1
    assert observer.calls[0].files == ("calc.py",)


async def test_a_call_that_was_cut_short_is_failed_whatever_the_agent_calls_it(scripted, brief) -> None:
    told = {"toolCallId": "s", "title": "sleep 40", "kind": "execute"}
    agent = scripted(
        [
            {"news": {"sessionUpdate": "tool_call", "status": "in_progress", **told}},
            {"cost": 9},
            {"linger": {"sessionUpdate": "tool_call_update", "status": "completed", **told}},
        ]
    )
    asked = brief()
    limits = asked.limits.model_copy(update={"cost_usd": Decimal(1)})
    observer = SilentObserver()
    attempt = await agent.attempt(asked.model_copy(update={"limits": limits}), observer)
    assert (attempt.stop, attempt.tool_calls, attempt.tool_errors) == (Stop.CANCELLED, 1, 1)
    assert [call.ok for call in observer.calls] == [False]


async def test_notifications_of_an_agents_own_making_are_passed_over(scripted, brief, artifacts) -> None:
    agent = scripted([{"raw": {"method": "qwen/notify/progress", "params": {}}}, {"say": "done"}])
    attempt = await agent.attempt(brief(), SilentObserver())
    assert (attempt.breakage, attempt.text) == (None, "done")
    assert b"qwen/notify/progress" in artifacts.read(attempt.transcript)


async def test_odd_names_of_files_are_told_and_no_call_is_lost(scripted, brief) -> None:
    odd = [{"call": {"name": "edit", "kind": "edit", "files": [name]}} for name in ("a\0b", "c\ud800")]
    observer = SilentObserver()
    attempt = await scripted([*odd, {"say": "done\ud800"}]).attempt(brief(), observer)
    assert (attempt.breakage, attempt.tool_calls, attempt.text) == (None, 2, "done\\ud800")
    assert [call.files for call in observer.calls] == [("a\0b",), ("c\\ud800",)]


async def test_a_call_is_told_to_begin_when_it_begins_and_again_once_its_title_is_clear(
    scripted, brief
) -> None:
    begin = {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Terminal", "kind": "execute"}
    then = {"sessionUpdate": "tool_call_update", "toolCallId": "1"}
    steps = [
        {"news": {**begin, "status": "pending"}},
        {"news": {**then, "title": "pytest -q", "status": "in_progress"}},
        {"news": {**then, "status": "in_progress"}},
        {"say": "the password is sesame-sesame\nand that is all\n"},
        {"news": {**then, "status": "completed"}},
    ]
    observer = SilentObserver()
    agent = scripted(steps, environment={"API_KEY": "sesame-sesame"})
    attempt = await agent.attempt(brief(), observer)
    assert [(call.title, call.ok) for call in observer.begun] == [("Terminal", None), ("pytest -q", None)]
    assert [(call.title, call.ok) for call in observer.calls] == [("pytest -q", True)]
    assert observer.texts == ["the password is [API_KEY]\nand that is all"]
    assert attempt.tool_calls == 1


class Full(SilentObserver):
    """Can take note of one call, and of no more."""

    def called(self, call: ToolCall) -> bool:
        """Keep a call."""
        if self.calls:
            raise OSError("no space left on device")
        return super().called(call)


async def test_a_call_that_cannot_be_recorded_ends_the_attempt(scripted, brief, living, tmp_path) -> None:
    call = {"call": {"name": "edit", "input": {"n": 1}, "ok": True}}
    agent = scripted([call, call, {"sleep": 600}])
    with pytest.raises(OSError, match="no space left"):
        await agent.attempt(brief(wall_s=600, idle_s=600), Full())
    assert living(str(tmp_path / "script-0.json")) == []


async def test_an_agent_that_waits_for_its_own_command_is_not_idle(scripted, brief):
    call = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "make test", "kind": "execute"}
    ended = {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
    agent = scripted([{"news": call}, {"sleep": 1.2}, {"news": ended}, {"say": "Passed."}, {"sleep": 60}])
    attempt = await agent.attempt(brief(idle_s=0.6), SilentObserver())
    assert attempt.text == "Passed."
    assert attempt.breakage is not None, "without a command under way it is idle"
    assert attempt.breakage.kind is BreakageKind.IDLE
