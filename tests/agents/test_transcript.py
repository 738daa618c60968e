from __future__ import annotations

import json

import pytest

from setpoint.agents import transcript
from setpoint.agents.transcript import Transcript


def _lines(data: bytes) -> list[dict]:
    return [json.loads(line) for line in data.splitlines()]


def test_messages_and_text_are_lines_of_json_in_order() -> None:
    kept = Transcript({})
    kept.message("setpoint", b'{"id": 0}\n')
    kept.text("agent", 'not "json"\n')
    first, second = _lines(kept.take())
    assert (first["from"], first["message"]) == ("setpoint", {"id": 0})
    assert (second["from"], second["text"]) == ("agent", 'not "json"\n')
    assert 0 <= first["at_s"] <= second["at_s"]
    assert kept.take() == b""


def test_secrets_are_replaced_by_their_names_and_short_values_are_left() -> None:
    kept = Transcript({"MY_KEY": "sk-0123456789", "MODE": "on"})
    kept.text("agent", "on with sk-0123456789")
    assert _lines(kept.take())[0]["text"] == "on with [MY_KEY]"


def test_beyond_its_size_it_counts_what_it_drops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "TRANSCRIPT_BYTES", 200)
    kept = Transcript({})
    kept.text("agent", "small")
    kept.text("agent", "x" * 300)
    small, dropped = _lines(kept.take())
    assert (small["text"], dropped["dropped_bytes"]) == ("small", 302)
    kept.text("agent", "anew")
    assert [line["text"] for line in _lines(kept.take())] == ["anew"]
