"""Reading logged runs from CSV files."""

import gzip

import pytest

from setpoint.errors import UsageError
from setpoint.history.logged_runs import read_logged_runs

GOOD = """run,agent,group,kind,turn,gates,failing,quality,repeated,cost_usd,verified,full
r1,pi 1.0 m,t1,bug,1,0,3,0.6,0,0.10,0,
r1,pi 1.0 m,t1,bug,2,1,0,0.9,1,0.20,,1
r2,pi 1.0 m,,,1,no,,,,,,
"""


def written(tmp_path, text):
    path = tmp_path / "logs.csv"
    path.write_text(text, "utf-8")
    return path


def test_each_run_has_its_turns_and_outcomes(tmp_path):
    first, second = read_logged_runs(written(tmp_path, GOOD))
    assert (first.run, first.agent, first.group, first.kind, first.full) == (
        "r1",
        "pi 1.0 m",
        "t1",
        "bug",
        True,
    )
    assert first.verified == (False, None)
    assert [turn.gates for turn in first.turns] == [False, True]
    assert (first.turns[0].failing, first.turns[0].quality, first.turns[1].repeated) == (3, 0.6, True)
    assert (second.turns[0].failing, second.turns[0].quality, second.full) == (1, None, False)


def test_a_gzipped_file_reads_the_same(tmp_path):
    packed = tmp_path / "logs.csv.gz"
    packed.write_bytes(gzip.compress(GOOD.encode()))
    assert read_logged_runs(packed) == read_logged_runs(written(tmp_path, GOOD))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("verified,full", "proved,full", "logs.csv:1: lacks the column verified"),
        ("quality", "score", "logs.csv:1: does not know the column score"),
        (",2,1,0,0.9", ",3,1,0,0.9", "logs.csv:3: turn is '3', not 2, the next one of run 'r1'"),
        (",2,1,0,0.9", ",2,,0,0.9", "logs.csv:3: gates is '', not 0 or 1"),
        (",0.9,", ",1.9,", "logs.csv:3: quality is '1.9', not a number from 0 to 1"),
        (",0.20,", ",cheap,", "logs.csv:3: cost_usd is 'cheap', not a number"),
        (",3,0.6", ",3.5,0.6", "logs.csv:2: failing is '3.5', not a whole number"),
        (",3,0.6", ",nan,0.6", "logs.csv:2: failing is 'nan', not a number of 0 or more"),
        ("0.20,,1", "0.20,maybe,1", "logs.csv:3: verified is 'maybe', not 0 or 1"),
        ("0.20,,1", "0.20,,1,1", "logs.csv:3: does not have as many cells"),
        ("r1,pi 1.0 m,t1,bug,2", "r1,pi 2.0 m,t1,bug,2", "logs.csv:3: run 'r1' has another agent"),
        (GOOD.partition("\n")[2], "", "logs.csv: holds no turn"),
    ],
)
def test_an_error_names_the_line_and_what_to_do(tmp_path, old, new, said):
    with pytest.raises(UsageError) as raised:
        read_logged_runs(written(tmp_path, GOOD.replace(old, new)))
    assert said in raised.value.message
    assert raised.value.hint


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"none\.csv: No such file"):
        read_logged_runs(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="is a folder"):
        read_logged_runs(tmp_path)
    damaged = tmp_path / "damaged.csv.gz"
    damaged.write_bytes(gzip.compress(GOOD.encode())[:-20])
    with pytest.raises(UsageError, match="gzip data is damaged"):
        read_logged_runs(damaged)


def test_the_column_of_chances_of_an_earlier_version_is_read_over(tmp_path):
    path = tmp_path / "drawn.csv"
    path.write_text("run,agent,turn,gates,verified,propensity\nr,a,1,0,0,0.25\nr,a,2,1,1,\n", "utf-8")
    (run,) = read_logged_runs(path)
    assert run.verified == (False, True)
