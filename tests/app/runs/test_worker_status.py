"""Which workers live, and what each holds."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from checks.conftest import git, write
from database import postgres
from setpoint.app.runs.standing_worker import LOCK, only_worker
from setpoint.app.runs.worker_status import HeldStory, worker_status
from setpoint.database.leases import holder_name
from setpoint.model.ids import TraceId
from setpoint.wiring.project import Project, open_project

HERE = (socket.gethostname(), os.getpid())


def repository(place: Path) -> Path:
    write(place, {"a.py": "x = 1\n"})
    git(place, "init", "-q")
    return place


def told(project: Project) -> list[tuple[bool, list[str]]]:
    return [(each.here, [held.story for held in each.stories]) for each in worker_status(project).workers]


def test_the_worker_of_a_repository_and_its_stories_are_told(tmp_path: Path) -> None:
    project = open_project(repository(tmp_path))
    with closing(project.store):
        assert not worker_status(project).here
        with only_worker(project), project.locks.held(TraceId("story-n1")):
            status = worker_status(project)
            assert told(project) == [(True, ["n1"])]
            (worker,) = status.workers
            assert (worker.host, worker.process) == HERE
            assert worker.stories == (HeldStory(story="n1", since=worker.stories[0].since),)
            assert worker.stories[0].since >= worker.since
        assert worker_status(project).workers == ()


@pytest.mark.slow
@pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named")
def test_workers_of_other_clones_are_told_and_do_not_stand_for_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SETPOINT_DATABASE", postgres.fresh_database())
    own, other = (open_project(repository(tmp_path / name)) for name in ("a", "b"))
    name = TraceId(f"{LOCK}-{holder_name()}")
    with closing(own.store), closing(other.store):
        with only_worker(own), own.locks.held(name), own.locks.held(TraceId("story-n1")):
            assert told(own) == [(True, ["n1"])]
            assert told(other) == [(False, ["n1"])]
        assert told(other) == []


@pytest.mark.slow
def test_a_worker_prints_json_lives_for_its_monitor_and_drains_on_sigterm(tmp_path: Path) -> None:
    repository(tmp_path)
    setpoint = [sys.executable, "-m", "setpoint", "work"]

    def asked() -> tuple[int, list[int]]:
        done = subprocess.run(
            [*setpoint, "status", "--json"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        return done.returncode, [each["process"] for each in json.loads(done.stdout)["workers"]]

    assert asked() == (1, [])
    with subprocess.Popen([*setpoint, "--json"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        line = json.loads(worker.stdout.readline())
        assert sorted(line) == ["at", "story", "text"]
        assert line["text"].startswith("working on the board of ")
        assert asked() == (0, [worker.pid])
        worker.send_signal(signal.SIGTERM)
    assert worker.returncode == 0
    assert asked() == (1, [])
