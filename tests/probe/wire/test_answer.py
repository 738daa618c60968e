"""Answers of the engine are read as data from a stranger: every type is checked."""

from __future__ import annotations

import json

import pytest

from setpoint_probe.wire.answer import UnreadableAnswer
from setpoint_probe.wire.order import read_reach, read_score

JUDGED = {"file": "a.py", "line": 3, "operator": "comparison", "before": "<", "after": "<="}
REACHED = {"file": "a.py", "lines": 2, "missed_lines": [1], "branches": 1, "functions": []}


def answer(tmp_path, told):
    path = tmp_path / "result.json"
    path.write_text(told if isinstance(told, str) else json.dumps(told), encoding="utf-8")
    return path


def test_records_lists_rows_and_tables_become_what_the_wire_says(tmp_path):
    judged = {**JUDGED, "verdict": "killed"}
    score = read_score(answer(tmp_path, {"status": "measured", "judged": [judged], "seconds": {"all": 2}}))
    assert (score.judged[0].line, score.judged[0].tests, score.seconds) == (3, 0, {"all": 2.0})
    reach = read_reach(answer(tmp_path, {"files": [{**REACHED, "missed_branches": [[2, True]]}]}))
    assert (reach.files[0].missed_lines, reach.files[0].missed_branches) == ((1,), ((2, True),))


def test_keys_of_a_later_engine_are_left_out(tmp_path):
    assert read_score(answer(tmp_path, {"status": "measured", "mood": "good"})).status == "measured"


def test_what_utf_8_cannot_hold_is_escaped(tmp_path):
    found = read_reach(answer(tmp_path, {"errors": {"t\ud800": "said \udcff"}}))
    assert found.errors == {"t\\ud800": "said \\udcff"}


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("", "Expecting value"),
        ("[]", "answer is \\[\\], which is not of type dict"),
        ('{"judged": [{}]}', r"answer\.judged\[0\] has no 'file'"),
        ({"judged": [{**JUDGED, "line": "3", "verdict": "killed"}]}, r"judged\[0\]\.line is '3'.*type int"),
        ({"made": True}, r"answer\.made is True, which is not of type int"),
        ('{"cpu_s": NaN}', "NaN is no number"),
        ("[" * 100_000, "answer"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(tmp_path, told, why):
    with pytest.raises(UnreadableAnswer, match=f"result.json: the engine left no readable.*{why}.*hint: "):
        read_score(answer(tmp_path, told))


def test_rows_have_their_length(tmp_path):
    files = [{**REACHED, "missed_branches": [[2, True, 1]]}]
    with pytest.raises(UnreadableAnswer, match="has 3 values, not 2"):
        read_reach(answer(tmp_path, {"files": files}))


def test_an_answer_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnreadableAnswer, match=r"gone\.json: the engine left no readable answer"):
        read_score(tmp_path / "gone.json")
