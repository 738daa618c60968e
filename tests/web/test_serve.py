"""`setpoint serve`: what it refuses before it listens."""

import os
import signal
import socket
import subprocess
import sys

import httpx2
import pytest
from typer.testing import CliRunner

from checks.conftest import git, write
from setpoint.app.project.access_keys import make_key
from setpoint.cli.app import commands
from setpoint.errors import UsageError
from setpoint.wiring.project import open_project


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    write(tmp_path, {"a.py": ""})
    git(tmp_path, "init", "-q")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*words):
    with pytest.raises(UsageError) as raised:
        CliRunner().invoke(commands(), ["serve", *words], catch_exceptions=False)
    return raised.value


def test_it_says_how_to_install_what_it_needs(monkeypatch, root):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    error = refused()
    assert "'uvicorn', which is not installed" in error.message
    assert "setpoint[web]" in error.hint
    assert not (root / ".setpoint").exists()


def test_interrupted_it_lets_go_of_the_pages_that_listen(root):
    words = [sys.executable, "-m", "setpoint", "serve", "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    serving = subprocess.Popen(words, cwd=root, env=environment, **pipes)
    address = serving.stdout.readline().partition("/login")[0]
    token = make_key(open_project(root), "read")
    client = httpx2.Client(headers={"authorization": f"Bearer {token}"}, timeout=60)
    with client, client.stream("GET", f"{address}/live/runs") as stream:
        heard = stream.iter_lines()
        assert next(heard) == "event: mark"
        serving.send_signal(signal.SIGINT)
        assert [each for each in heard if each][-1].startswith("data: "), "it ends as a whole answer does"
    _, told = serving.communicate(timeout=60)
    assert "running task" not in told, told
    assert "Traceback" not in told, told


def test_it_says_which_scopes_there_are():
    assert refused("--scope", "all").hint == "one of read, feedback, admin"


def test_it_says_that_a_port_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}" in refused("--port", str(port)).message
