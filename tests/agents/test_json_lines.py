"""Lines of agents become data that a file can hold."""

from __future__ import annotations

import json

import pytest

from setpoint.agents.json_lines import object_of
from setpoint.agents.tool_calls import CallBook
from setpoint.model.attempt import ToolCall


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"a": ["x\\ud800y", {"\\uDfff": 1}]}', {"a": ["x\\ud800y", {"\\udfff": 1}]}),
        (b'{"a": "\xed\xa0\x80"}', {"a": "\\ud800"}),
        ('{"a": "\\ud83d\\ude00 and 😀"}'.encode(), {"a": "😀 and 😀"}),
        (b'{"a": 1, "b": null}', {"a": 1, "b": None}),
        (b"[1]", None),
        (b"{", None),
        (b"\xff", None),
        (b'{"a":' + b"[" * 100_000, None),
    ],
)
def test_a_line_is_data_that_can_be_written(line: bytes, told: object) -> None:
    assert object_of(line) == told
    json.dumps(object_of(line), ensure_ascii=False).encode()


@pytest.mark.parametrize("path", ["a\0b", "a\ud800b", "x" * 5000, "loop/x"])
def test_a_path_that_no_file_can_have_is_told_as_it_is(tmp_path, path: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    told: list[ToolCall] = []
    book = CallBook(tmp_path, told.append)
    seen = book.get("odd \ud800")
    assert seen is not None
    seen.name, seen.paths = "read \udfff", {path: None}
    outside = book.paths_outside("odd \ud800")
    book.end("odd \ud800", ok=True)
    assert (told[0].id, told[0].name) == ("odd \\ud800", "read \\udfff")
    assert told[0].files == (path.replace("\ud800", "\\ud800"),)
    assert ToolCall.model_validate_json(told[0].model_dump_json()) == told[0]
    assert bool(outside) is ("\0" in path or "\ud800" in path)  # what cannot be followed is not allowed


def test_a_call_that_is_nested_too_deeply_is_not_compared(tmp_path) -> None:
    told: list[ToolCall] = []
    book = CallBook(tmp_path, told.append)
    seen = book.get("1")
    assert seen is not None
    for _ in range(100_000):
        seen.input = [seen.input]
    book.end("1", ok=True)
    assert told[0].result_hash == ""
