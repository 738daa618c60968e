from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from setpoint.agents.launch import Launch, Quirks
from setpoint.agents.login import login_state, seen_of
from setpoint.agents.registry import known

LAUNCH = Launch(
    name="any",
    argv=("any",),
    login_keys=("ANY_TEST_KEY",),
    login_files=(".any/auth.json",),
    pass_environment=("ANY_TEST_KEY",),
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ANY_TEST_KEY", raising=False)
    return tmp_path


def test_a_login_is_told_by_a_key_or_a_file_alone(home: Path, monkeypatch) -> None:
    assert login_state(LAUNCH) == "none found"
    (home / ".any").mkdir()
    (home / ".any" / "auth.json").write_text("{}")
    assert login_state(LAUNCH) == "~/.any/auth.json is there"
    monkeypatch.setenv("ANY_TEST_KEY", "sk-1234")
    assert login_state(LAUNCH) == "ANY_TEST_KEY is set"


def test_a_key_that_the_agent_does_not_get_is_none(monkeypatch) -> None:
    monkeypatch.setenv("ANY_TEST_KEY", "sk-1234")
    assert login_state(LAUNCH.model_copy(update={"pass_environment": ()})) == "none found"
    own = {"environment": {"ANY_TEST_KEY": "x"}, "pass_environment": ()}
    assert login_state(LAUNCH.model_copy(update=own)) == "ANY_TEST_KEY is set"


def test_of_other_agents_nothing_is_known() -> None:
    assert login_state(Launch(name="own", argv=("own",))) == "not known"


def test_what_can_be_seen_names_the_scope_where_it_is_not_the_attempt() -> None:
    assert seen_of(Launch(name="own", argv=("own",), protocol="command")) == "text"
    last = Quirks(usage_scope="last_call", tells=("calls", "tokens"))
    assert seen_of(Launch(name="a", argv=("a",), quirks=last)) == "calls, tokens (last call only)"


def test_every_known_agent_says_how_a_login_is_told_and_gets_its_keys() -> None:
    for launch in known().values():
        assert launch.login_keys or launch.login_files, launch.name
        given = (*launch.pass_environment, *launch.environment)
        assert all(any(fnmatch(key, each) for each in given) for key in launch.login_keys), launch.name
