"""Tests that somebody wrote, judged one by one."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from probe.conftest import answered
from setpoint_mechanic.engine.generate.replay import OTHER_ORDER
from setpoint_mechanic.engine.wire.cover import JudgeRequest
from setpoint_mechanic.engine.wire.order import argv_of, read_judge

CODE = """
    SEEN = []


    def sign(number):
        if number < 0:
            return "minus"
        if number > 0:
            return "plus"
        return "zero"


    def note(word):
        SEEN.append(word)
        return len(SEEN)
"""
TESTS = """
    import os
    import random

    import code_of


    def test_minus():
        assert code_of.sign(-1) == "minus"


    def test_minus_again():
        assert code_of.sign(-2) == "minus"


    def test_wrong():
        assert code_of.sign(0) == "plus"


    def test_note():
        assert code_of.note("a") >= 1


    def test_nothing_was_noted():
        assert code_of.SEEN == []


    def test_now_and_then():
        assert random.random() < 0.02


    def test_that_ends_its_process():
        os._exit(3)
"""


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    root = tmp_path_factory.mktemp("judged") / "project"
    root.mkdir()
    (root / "code_of.py").write_text(dedent(CODE), "utf-8")
    (root / "test_code.py").write_text(dedent(TESTS), "utf-8")
    (root / "test_broken.py").write_text("def test(:\n", "utf-8")
    missed = (("code_of.py", tuple(range(1, 20)), ((6, True), (6, False), (8, True), (8, False))),)
    scratch = str(Path(root.parent, "scratch"))
    request = JudgeRequest(
        tree=str(root), tests=("test_code.py", "test_broken.py"), missed=missed, scratch=scratch
    )
    result = answered(request, read_judge, argv_of)
    return result, {each.id.rpartition("::")[2]: each for each in result.tests}


def test_a_test_that_passes_every_time_and_reaches_something_new_is_good(judged):
    result, tests = judged

    assert result.status == "judged"
    assert tests["test_minus"].gains
    assert tests["test_minus"].taken == {"code_of.py": [(6, True)]}
    assert 7 in tests["test_minus"].gained["code_of.py"]


def test_what_an_earlier_test_reaches_is_no_gain(judged):
    again = judged[1]["test_minus_again"]

    assert (again.why_not, again.gained, again.taken, again.gains) == ("", {}, {}, False)


def test_one_that_fails_says_what_it_said(judged):
    wrong = judged[1]["test_wrong"]

    assert wrong.why_not == "failed when run alone"
    assert "AssertionError" in wrong.output
    assert 'assert code_of.sign(0) == "plus"' in wrong.output
    assert "_pytest" not in wrong.output


def test_those_that_hang_on_others_on_chance_or_end_the_process_are_no_good(judged):
    tests = judged[1]

    assert tests["test_note"].gains
    assert tests["test_nothing_was_noted"].why_not == OTHER_ORDER
    assert tests["test_now_and_then"].why_not
    assert "ends its process" in tests["test_that_ends_its_process"].why_not


def test_a_file_that_is_no_python_is_told(judged):
    result, _ = judged

    assert "test_broken.py" in result.reason


def test_where_nothing_can_be_collected_the_reason_is_given(tmp_path):
    (tmp_path / "code_of.py").write_text("A = 1\n", "utf-8")
    (tmp_path / "test_no.py").write_text("import nothing_of_that_name\n", "utf-8")
    request = JudgeRequest(
        tree=str(tmp_path),
        tests=("test_no.py",),
        missed=(("code_of.py", (1,), ()),),
        scratch=str(tmp_path / "s"),
    )

    result = answered(request, read_judge, argv_of)

    assert result.status == "not_possible"
    assert "nothing_of_that_name" in result.reason
