"""The verbs with their record in a Postgres database, by a role that may add and change no fact."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from acceptance.conftest import RIGHT, WISH
from acceptance.test_cancel import begun
from acceptance.test_run_verb import _until
from database import postgres

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named"),
]
FIX = {"write": "calc.py", "text": RIGHT}
ASKS = {"SETPOINT_ESCALATION__ON_LIMIT": "manual"}
VERIFIED = "IMPLEMENTATION_VERIFIED"


@pytest.fixture
def url(repository, monkeypatch):
    """The database as a worker's role names it; its tables are made by their owner with the verb."""
    owner = postgres.empty_database()
    role, worker = postgres.worker_role(owner)
    refused = repository.setpoint("status", SETPOINT_DATABASE=owner)
    assert (refused.returncode, "`setpoint db migrate`" in refused.stderr) == (4, True)
    done = repository.setpoint("db", "migrate", "--role", role, SETPOINT_DATABASE=owner)
    assert done.returncode == 0, done.stderr
    before = repository.environment
    monkeypatch.setattr(repository, "environment", lambda **more: before(SETPOINT_DATABASE=worker, **more))
    return worker


def test_a_run_is_verified_with_least_rights_and_no_password_is_told(repository, url):
    repository.agent([FIX, {"shell": "env > seen.txt; echo"}])
    code, outcome = repository.run("--agent", "actor")
    assert (code, outcome["mark"]) == (0, VERIFIED)
    assert not (repository.root / ".setpoint" / "app.db").exists()
    assert not (repository.root / ".setpoint" / "engine.db").exists()

    verbs = [
        "status",
        "show",
        "show log",
        "show --json",
        "metrics",
        "learn",
        "learn list",
        "verify",
        "answer",
    ]
    verbs += ["finding", "story", "doctor", "doctor --settings", "db check", "admin export --json"]
    told = [repository.setpoint(*verb.split()) for verb in verbs]
    for verb, done in zip(verbs, told, strict=True):
        assert "internal error" not in done.stderr, (verb, done.stderr)
        print(verb, done.returncode, done.stdout[-700:], done.stderr[-500:])
        assert postgres.SECRET not in done.stdout + done.stderr, verb
