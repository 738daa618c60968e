from __future__ import annotations

import json

import pytest

from setpoint.agents import transcript
from setpoint.agents.launch import Launch
from setpoint.agents.transcript import Transcript, secrets_of


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


def test_keys_that_the_settings_give_an_agent_are_secrets_too() -> None:
    config = {
        "provider": {"p": {"options": {"apiKey": "conf-0123456789", "baseURL": "https://example.org/v1"}}},
        "headers": [{"Authorization": ["Bearer 0123456789"]}],
    }
    launch = Launch(
        name="own",
        argv=("own",),
        environment={"OWN_API_KEY": "set-0123456789", "OWN_MODE": "everything", "CONFIG": json.dumps(config)},
        config_variable="CONFIG",
    )
    kept = Transcript(secrets_of(launch, {"PASSED": "passed-0123456789"}))
    told = (
        "set-0123456789 conf-0123456789 Bearer 0123456789 passed-0123456789 everything https://example.org/v1"
    )
    shown = kept.redacted(told)
    assert "0123456789" not in shown
    assert shown.endswith("[PASSED] everything https://example.org/v1")
    assert shown.startswith("[OWN_API_KEY] [CONFIG.provider.p.options.apiKey] [CONFIG.headers")
    broken = launch.model_copy(update={"environment": {"CONFIG": "{"}})
    assert secrets_of(broken, {}) == {}


def test_of_two_secrets_one_within_the_other_nothing_is_left() -> None:
    assert Transcript({"A": "01234567", "B": "0123456789"}).redacted("0123456789 01234567") == "[B] [A]"
