"""Keys of the live view act on the run; text is typed key by key."""

import pytest

from setpoint.cli.render.keys import Keyboard


@pytest.fixture
def done():
    return []


@pytest.fixture
def board(done):
    return Keyboard(
        pause=lambda: done.append("pause"),
        hint=lambda text: done.append(f"hint {text}"),
        stop=lambda: done.append("stop"),
        text=lambda: done.append("text"),
    )


def test_a_hint_is_typed_corrected_and_sent(board, done):
    board.press("hround half upp\x7f")
    assert board.row[0] == "hint: round half up_"
    board.press("s\x7f\r")
    assert done == ["hint round half up"]
    assert board.row[0] == "p pause"


def test_a_hint_can_be_dropped_and_an_empty_one_is_none(board, done):
    board.press("hno\x1bh \r")
    assert done == []


def test_a_run_is_stopped_only_after_a_yes(board, done):
    board.press("s")
    assert "stop the run" in board.row[0]
    board.press("n")
    board.press("sy")
    assert done == ["stop"]


def test_the_other_keys(board, done):
    board.press("pxvp")
    assert done == ["pause", "text", "pause"]
