from __future__ import annotations

import pytest

from setpoint_mechanic.engine.repair import fixes
from setpoint_mechanic.engine.wire.fixes import Fix, FixRequest, spliced
from setpoint_probe.process.children import Ended

ENDED = Ended(finished=True, cpu_limit=False, stopped=False, cpu_s=0.0)


class Processes:
    """Stands for fresh processes: a test fails where the text holds what it does not bear."""

    def __init__(self, bears):
        self.bears = bears
        self.runs = []

    def run_with(self, texts, tests, *, to_first_failure=False):
        text = "".join(texts.values())
        self.runs.append(text)
        wanted = self.bears if tests is None else tests
        return {test: "failed" if self.bears[test] in text else "passed" for test in wanted}, ENDED


class Quiet:
    """Stands for whoever is told of the progress."""

    def tell(self, event, **facts):
        """Keep quiet."""


@pytest.fixture
def judged(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("0123456789ab")

    def run(letters, bears, wall_s=60.0):
        processes = Processes(bears)
        monkeypatch.setattr(fixes._Trial, "_processes", lambda *_: processes)
        offered = tuple(Fix("a.py", ((place, place + 1, letter),)) for place, letter in enumerate(letters))
        trial = fixes._Trial(FixRequest(str(tmp_path), offered, wall_s=wall_s), Quiet())
        return trial.run(), processes

    return run


def test_each_fix_is_tried_alone_on_top_of_what_is_kept(judged):
    result, processes = judged("xyz", {"test_y": "y", "test_all": "!"})
    assert [(fate.kept, fate.broke) for fate in result.fates] == [(True, ""), (False, "test_y"), (True, "")]
    assert processes.runs == ["", "x123456789ab", "xy23456789ab", "x123456789ab", "x1z3456789ab"]


def test_where_time_is_short_only_a_half_that_breaks_something_is_looked_into(judged):
    result, _ = judged("abcdefghijkl", {"test_h": "h", "test_all": "!"}, wall_s=0.5)
    assert [fate.kept for fate in result.fates] == [letter != "h" for letter in "abcdefghijkl"]
    assert result.runs < 12


def test_two_fixes_that_break_something_only_together_are_not_both_kept(judged):
    result, _ = judged("xy", {"test_pair": "xy"})
    assert [fate.kept for fate in result.fates] == [True, False]


def test_without_time_nothing_is_kept_and_it_is_said(judged):
    result, _ = judged("xyz", {"test_all": "!"}, wall_s=-1.0)
    assert not any(fate.kept or fate.tried for fate in result.fates)


def test_a_test_that_fails_anyway_does_not_judge(judged):
    result, _ = judged("xyz", {"test_red": "", "test_all": "!"})
    assert result.tests == 1
    assert all(fate.kept for fate in result.fates)


def test_without_a_green_test_nothing_is_judged(judged):
    result, _ = judged("xyz", {"test_red": ""})
    assert (result.status, result.runs) == ("not_possible", 1)
    assert "no test passes" in result.reason


def test_a_fix_is_not_kept_where_the_last_test_that_could_judge_turns_out_unsteady(judged):
    class Chancy(dict):
        """A test that passes the first time only."""

        asked = 0

        def __getitem__(self, test):
            self.asked += 1
            return "never there" if self.asked == 1 else ""

    result, _ = judged("xyz", Chancy(test_chancy=""))

    assert not any(fate.kept or fate.tried for fate in result.fates)
    assert (result.status, result.tests) == ("judged", 0)
    assert "none could judge" in result.reason


def test_overlapping_edits_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        spliced("abc", [(0, 2, "x"), (1, 3, "y")])
