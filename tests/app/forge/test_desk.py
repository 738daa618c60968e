"""What Setpoint writes at a forge mentions nobody and closes nothing but its own issue."""

import re

import pytest

from setpoint.app.forge.desk import _line, _title

CALLS = re.compile(r"@\w|(?<!\\)#\d|GH-\d|\w://\S|<!--")


@pytest.mark.parametrize("shown", [_line, _title])
@pytest.mark.parametrize(
    "text",
    [
        "@octo/team look",
        "closes #1",
        "fixes GH-4",
        "see octo/shop#3",
        "fixes https://forge.example/o/r/issues/5",
    ],
)
def test_a_text_from_outside_calls_nobody(shown, text):
    told = shown(text, 200)

    assert CALLS.search(told) is None
    assert "\\#1" not in told
    assert re.sub(r"[\u2060\\]", "", told) == text
