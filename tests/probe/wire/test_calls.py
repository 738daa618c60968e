"""What tests and processes of the project write about calls is read as far as it can be."""

import json

from setpoint_probe.wire.calls import Answer, Call, read_answers, recorded_in

CALL = {"name": "a.py::f", "module": "a", "function": "f", "arguments": "gA==", "kind": "value", "told": "1"}


def test_lines_that_are_no_calls_are_left_out(tmp_path):
    lines = ["no json", "[]", json.dumps({**CALL, "told": 3}), json.dumps({**CALL, "more": 1}), '{"a": ']
    (tmp_path / "1.jsonl").write_text("\n".join(lines), "utf-8")

    assert recorded_in(tmp_path).calls == (Call(**CALL),)


def test_a_function_with_a_call_has_missed_nothing(tmp_path):
    missed = [{"name": name, "missed": "arguments"} for name in ("a.py::f", "a.py::g")]
    (tmp_path / "1.jsonl").write_text("\n".join(map(json.dumps, [*missed, CALL])), "utf-8")

    assert recorded_in(tmp_path).missed == {"a.py::g": "arguments"}


def test_without_a_file_there_are_no_answers(tmp_path):
    assert read_answers(tmp_path / "none.jsonl") == {}


def test_answers_before_the_end_of_a_process_are_read(tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text('{"number": 1, "kind": "value", "told": "x"}\n{"number": 2, "ki', "utf-8")

    assert read_answers(file) == {1: Answer(1, "value", "x")}
