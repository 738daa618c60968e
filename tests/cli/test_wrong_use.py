"""Words that a verb cannot read are wrong use, told in one line, and no fault of Setpoint's."""

import sys

import pytest

from setpoint.cli.app import main


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("status", "--most", "many"), "valid integer"),
        (("status", "--nonsense"), "--nonsense"),
        (("gate", "continue", "11", "run"), "less than or equal to 10"),
        (("gate", "continue", "1", "run", "--cost", "much"), "US dollars"),
        (("nonsense",), "nonsense"),
    ],
)
def test_wrong_words_are_wrong_use(monkeypatch, capsys, words, told):
    monkeypatch.setattr(sys, "argv", ["setpoint", *words])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert told in capsys.readouterr().err
