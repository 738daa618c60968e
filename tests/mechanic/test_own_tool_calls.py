from __future__ import annotations

import json
from pathlib import Path

from setpoint.model.attempt import ToolCall
from setpoint.testing import ScriptedToolkit
from setpoint_mechanic.own_tool_calls import OwnCalls, engine_environment


class Watcher:
    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self.begun: list[ToolCall] = []

    def began(self, call: ToolCall) -> None:
        self.begun.append(call)

    def called(self, call: ToolCall) -> bool:
        self.calls.append(call)
        return False


def test_calls_are_numbered_counted_told_and_logged():
    watcher = Watcher()
    calls = OwnCalls("implement-2", watcher)

    calls.tell("write_tests", "edit", "three tests", ok=True, seconds=1.5, file="tests/test_a.py")
    calls.tell("measure_reach", "execute", "broke", ok=False, seconds=0.5)

    assert (calls.made, calls.errors) == (2, 1)
    assert [(call.id, call.ok, call.files) for call in watcher.calls] == [
        ("implement-2-1", True, ("tests/test_a.py",)),
        ("implement-2-2", False, ()),
    ]
    assert [json.loads(line)["title"] for line in calls.log] == ["three tests", "broke"]


def test_the_end_of_a_call_that_was_told_to_begin_bears_its_name():
    watcher = Watcher()
    calls = OwnCalls("implement-2", watcher)

    calls.begin("search_repair", "execute", "search for a repair")
    calls.tell("repair_locate", "execute", "a stage", ok=True, seconds=0.5)
    calls.tell("search_repair", "execute", "found", ok=True, seconds=1.5)

    assert [call.id for call in watcher.calls] == ["implement-2-1", watcher.begun[0].id]


def test_the_engine_finds_its_interpreters_programs_first_and_leaves_its_files_in_the_scratch():
    variables = engine_environment(ScriptedToolkit(Path()), "/project/.venv/bin/python", Path("/scratch"))

    assert variables["PATH"].startswith("/project/.venv/bin:")
    assert variables["TMPDIR"] == "/scratch"
    assert variables["PYTHONHASHSEED"] == "0"
