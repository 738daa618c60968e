"""What an agent writes is passed on in whole lines, without secrets, and only so much of it."""

from setpoint.agents import speech
from setpoint.agents.speech import Hearing
from setpoint.model.attempt import ToolCall
from setpoint.testing import SilentObserver


def hearing():
    observer = SilentObserver()
    return Hearing(observer, lambda text: text.replace("sesame", "[KEY]")), observer


def test_a_secret_that_comes_in_two_chunks_is_still_taken_out():
    heard, observer = hearing()
    for chunk in ("the key is ses", "ame\nand", " more"):
        heard.said(chunk)
    assert observer.texts == ["the key is [KEY]"]
    heard.began(ToolCall(id="1", name="bash"))
    assert observer.texts == ["the key is [KEY]", "and more"]
    assert [call.id for call in observer.begun] == ["1"]


def test_only_so_much_is_passed_on(monkeypatch):
    monkeypatch.setattr(speech, "TEXT_CHARS", 10)
    heard, observer = hearing()
    for _ in range(3):
        heard.said("12345678\n")
        heard.flush()
    assert observer.texts == ["12345678", "12"]


def test_short_lines_are_gathered_and_a_long_one_does_not_wait():
    heard, observer = hearing()
    heard.said("first\n")
    for _ in range(5):
        heard.said("x\n")
    assert observer.texts == ["first"]
    heard.said("y" * speech.LONGEST_CHARS)
    assert len(observer.texts) == 2
