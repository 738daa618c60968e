from __future__ import annotations

import json
from pathlib import Path

from setpoint.model.attempt import ToolCall
from setpoint.testing import ScriptedToolkit
from setpoint_mechanic.own_tool_calls import OwnCalls, engine_environment


class Watcher:
    def __init__(self) -> None:
        self.calls: list[ToolCall] = []

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


def test_the_engine_finds_its_interpreters_programs_first_and_leaves_its_files_in_the_scratch():
    variables = engine_environment(ScriptedToolkit(Path()), "/project/.venv/bin/python", Path("/scratch"))

    assert variables["PATH"].startswith("/project/.venv/bin:")
    assert variables["TMPDIR"] == "/scratch"
    assert variables["PYTHONHASHSEED"] == "0"
