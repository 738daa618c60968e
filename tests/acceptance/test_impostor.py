"""An agent that wants to answer as the person, while the dashboard is served: nothing that it does counts."""

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.conftest import ASKING, RIGHT, WISH
from acceptance.test_gates import ONE, told, wrong
from setpoint.app.project.access_keys import KeyKind, make_key
from setpoint.web.access import Access, Scope
from setpoint.web.app import DESCRIBED, PAGES
from setpoint.wiring.project import open_project

FIX = {"write": "calc.py", "text": RIGHT}
IMPOSTOR = Path(__file__).with_name("impostor.py")
FREE = {"/login"}
"""Takes requests of everybody, and answers 403 to a wrong token."""


def write_routes(run):
    """Name every path that takes a write, with what is asked about in its place."""
    routers = [*(each for each, _ in DESCRIBED), *PAGES]
    routes = {route.path for each in routers for route in each.routes if "POST" in route.methods}
    named = {"{which}": run, "{project}": "1", "{name}": "x", "{finding}": "x"}
    for name, value in named.items():
        routes = {route.replace(name, value) for route in routes}
    return sorted(routes - FREE)


@pytest.fixture
def asking(repository):
    """Have a run that waits for a person, and a second agent that is an impostor."""
    spy = f"{shlex.quote(sys.executable)} {shlex.quote(str(IMPOSTOR))} {repository.root.parent}/order.json"
    repository.players(ONE, actor=wrong("a * b"), spy=[{"shell": spy}, *wrong("a ** b")])
    asked = repository.setpoint("run", WISH, "--agent", "actor", "--json", **ASKING)
    assert asked.returncode == 10, asked.stderr
    return json.loads(asked.stdout)["trace_id"]


@pytest.fixture
def served(repository, asking):
    """Serve the dashboard, with a token of each scope, made as people make them."""
    project = open_project(repository.root)
    for scope in Scope:
        make_key(project, scope)
    make_key(project, Scope.SIGNAL, KeyKind.INGEST)
    project.store.close()
    serving = subprocess.Popen(
        [sys.executable, "-m", "setpoint", "serve", "--port", "0"],
        cwd=repository.root,
        env={**repository.environment(), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    host = serving.stdout.readline().partition("://")[2].partition("/")[0]
    yield serving.pid, host
    serving.send_signal(signal.SIGINT)
    serving.communicate(timeout=60)


def order(repository, asking, served, home):
    pid, host = served
    report = repository.root.parent / "played" / "report.json"
    routes = write_routes(asking)
    envelope = next(route for route in routes if route.endswith("/envelope"))
    told = {
        "root": str(repository.root),
        "home": str(home),
        "run": asking,
        "server": pid,
        "host": host,
        "report": str(report),
        "routes": routes,
        "thorough": 10,
        "tell": {"bearer": ["/api/v1/runs", "/hooks/otlp/v1/traces"], "cookie": ["/runs"], "dsn": [envelope]},
        "cookie": Access(keys=tuple, name=str(repository.root / ".setpoint")).cookie,
        "environment": repository.environment(HOME=str(home)),
    }
    (repository.root.parent / "order.json").write_text(json.dumps(told))
    return report


def trace(repository, run):
    """Return what is recorded of a run."""
    return told(repository, "show", run)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_an_agent_in_the_sandbox_answers_nothing(repository, asking, served, means, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    report = order(repository, asking, served, home)
    keys = repository.root / ".setpoint" / "web-tokens.json"
    before = trace(repository, asking), keys.read_bytes(), told(repository, "answer")

    asked = {"SETPOINT_SANDBOX__AGENTS": means.value, "HOME": str(home)}
    done = repository.setpoint("run", WISH, "--agent", "spy", "--json", timeout=500, **asked)

    found = json.loads(report.read_text())
    print(json.dumps(found["refused"], indent=1))
    assert (found["worked"], found["opened"]) == ([], [])
    assert found["strings"] > 10, "what it can still read was tried as a key; Setpoint's state is covered"
    assert (trace(repository, asking), keys.read_bytes(), told(repository, "answer")) == before
    runs = told(repository, "status")
    assert len(runs) == 2
    assert done.returncode == 11, done.stderr
