"""Words that a verb cannot read are wrong use, told in one line, and no fault of Setpoint's."""

import sys

import pytest

from setpoint.cli.app import main


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("status", "--most", "many"), "valid integer"),
        (("status", "--nonsense"), "--nonsense"),
        (("answer", "continue", "11", "run"), "less than or equal to 10"),
        (("answer", "continue", "1", "run", "--cost", "much"), "US dollars"),
        (("answer", "continue", "1", "run", "--cost", "1e999"), "at most 1000000"),
        (("answer", "continue", "1", "run", "--minutes", "inf"), "a number from 0 to 527040 (got inf)"),
        (("answer", "continue", "1", "run", "--minutes", "nan"), "(got nan)"),
        (("answer", "continue", "1", "run", "--minutes", "-1"), "(got -1.0)"),
        (("nonsense",), "nonsense"),
        (("metrics", "--snapshot", "--html", "x.html"), "--snapshot cannot be combined with --html"),
        (("metrics", "--html", "x.html", "--days", "30"), "--days cannot be combined with --html"),
        (("metrics", "--prometheus", "--days", "30"), "--days cannot be combined with --prometheus"),
        (("metrics", "--prometheus", "--json"), "--json cannot be combined with --prometheus"),
        (("metrics", "--snapshots", "--snapshot"), "--snapshot cannot be combined with --snapshots"),
    ],
)
def test_wrong_words_are_wrong_use(monkeypatch, capsys, words, told):
    monkeypatch.setattr(sys, "argv", ["setpoint", *words])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert told in capsys.readouterr().err
