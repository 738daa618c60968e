"""Keys that open the dashboard: what is stored of them, and what older versions stored."""

import hashlib
import hmac
import json
import sys

import pytest
from typer.testing import CliRunner

from checks.conftest import git, write
from setpoint.app.project.access_keys import KeyKind, make_key, revoke_keys, stored_keys
from setpoint.cli.app import commands
from setpoint.errors import RecordedDataError, UsageError
from setpoint.web.access import Access, Scope
from setpoint.wiring.project import open_project


@pytest.fixture
def project(tmp_path, monkeypatch):
    write(tmp_path, {"a.py": ""})
    git(tmp_path, "init", "-q")
    monkeypatch.chdir(tmp_path)
    made = open_project(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def access(project):
    return Access(keys=lambda: stored_keys(project.state))


def test_a_key_opens_what_its_scope_allows_until_it_is_replaced_or_revoked(project, access):
    old, other = make_key(project, "read"), make_key(project, "signal")
    assert access.by_token(old).scope is Scope.READ
    new = make_key(project, "read", replace=True)
    assert (access.by_token(old), access.by_token(new).scope) == (None, Scope.READ)
    assert access.by_ingest_key(other) is None
    assert revoke_keys(project, "signal") == 1
    assert access.by_token(other) is None


def test_tokens_of_an_older_version_are_hashed_and_go_on(project, access):
    old = {"read": "r" * 43, "signal": "s" * 43}
    derived = hmac.new(old["signal"].encode(), b"setpoint ingest", hashlib.sha256).hexdigest()[:32]
    file = project.state / "web-tokens.json"
    file.write_text(json.dumps(old))

    assert access.by_token(old["read"]).scope is Scope.READ
    assert access.by_ingest_key(derived).scope is Scope.SIGNAL
    text = file.read_text()
    assert not [key for key in (*old.values(), derived) if key in text]
    assert [(each.scope, each.kind) for each in stored_keys(project.state)] == [
        ("read", KeyKind.TOKEN),
        ("signal", KeyKind.TOKEN),
        ("signal", KeyKind.INGEST),
    ]


@pytest.mark.parametrize("text", ["", "[]", '{"keys": [{"scope": 1}]}', "\x00"])
def test_a_damaged_file_says_so(project, text):
    (project.state / "web-tokens.json").write_text(text)
    with pytest.raises(RecordedDataError) as raised:
        stored_keys(project.state)
    assert "setpoint admin token new" in raised.value.hint


def test_a_token_that_answers_is_not_written_to_a_file(project, tmp_path, monkeypatch):
    with (tmp_path / "token").open("w") as file, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", file)
        with pytest.raises(UsageError) as raised:
            commands()(["admin", "token", "new", "admin"], standalone_mode=False)
    assert "not written to a file" in raised.value.message
    assert stored_keys(project.state) == ()


def test_a_token_is_listed_without_the_token(project, access):
    made = (
        CliRunner()
        .invoke(commands(), ["admin", "token", "new", "feedback"], catch_exceptions=False)
        .stdout.strip()
    )
    assert access.by_token(made).scope is Scope.FEEDBACK
    told = CliRunner().invoke(commands(), ["admin", "token", "list", "--json"], catch_exceptions=False).stdout
    assert made not in told
    assert [each["scope"] for each in json.loads(told)] == ["feedback"]
