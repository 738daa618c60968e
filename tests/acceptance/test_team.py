"""Two workers in clones of their own share a Postgres and a repository; one of them is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from database import postgres
from workspace.repository import git, repository

pytestmark = [
    pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed here"),
    pytest.mark.slow,
    pytest.mark.timeout(600),
]

AGENT = """
import re, sys, time
from pathlib import Path

story = re.search(r"notes/(n\\d+)\\.txt", sys.argv[1])[1]
time.sleep(float(Path(__file__).with_name("slow").read_text()))
Path("notes").mkdir(exist_ok=True)
Path("notes", f"{story}.txt").write_text(story)
"""
SETTINGS = """
shared_repository = "origin"
[agents]
maker = "script"
test_designer = "rules"
[agent.script]
command = ["{python}", "{agent}", "{{prompt}}"]
[sandbox]
agents = "none"
[board]
lease_s = 5
drain_s = 0
"""
STORY = """---
id: n{number}
title: Write notes/n{number}.txt
acceptance: ["grep -q n{number} notes/n{number}.txt"]
{more}---

The file holds its own name.
"""


def setpoint(clone: Path, url: str, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-P", "-m", "setpoint", *words]
    environment = {**os.environ, "SETPOINT_DATABASE": url}
    with clone.with_suffix(".log").open("ab") as log:
        return subprocess.Popen(command, cwd=clone, env=environment, stdout=log, stderr=log)


def delivered(shared: Path) -> set[str]:
    return set(git(shared, "for-each-ref", "--format=%(refname:short)", "refs/heads/setpoint/").split())


def until(what, seconds: float, *logs: Path) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        told = "\n".join(log.read_text("utf-8", "replace")[-3000:] for log in logs)
        assert time.monotonic() < deadline, told
        time.sleep(0.3)


def test_a_killed_worker_loses_nothing(tmp_path):
    url = postgres.fresh_database()
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "slow").write_text("60")
    settings = SETTINGS.format(python=sys.executable, agent=tmp_path / "agent.py")
    repository(tmp_path / "project", {"setpoint.toml": settings, "README.md": "A project\n"})
    shared = tmp_path / "shared.git"
    git(tmp_path, "clone", "--quiet", "--bare", "project", str(shared))
    first, second = tmp_path / "first", tmp_path / "second"
    for clone in (first, second):
        git(tmp_path, "clone", "--quiet", str(shared), str(clone))
    stories = first / ".setpoint" / "stories"
    stories.mkdir(parents=True)
    for number in (1, 2):
        more = "depends_on: [n1]\n" if number == 2 else ""
        (stories / f"n{number}.md").write_text(STORY.format(number=number, more=more))
    assert setpoint(first, url, "db", "migrate").wait() == 0

    log = first.with_suffix(".log")
    killed = setpoint(first, url, "work")
    until(lambda: "script works on implement-1" in log.read_text(), 120, log)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    (tmp_path / "slow").write_text("0")
    (tmp_path / "second.log").touch()
    workers = [setpoint(second, url, "work")]
    try:
        # The second has no stories of its own: it is handed what the first had begun.
        until(lambda: "setpoint/n1" in delivered(shared), 200, log, tmp_path / "second.log")
        workers.append(setpoint(first, url, "work"))
        until(lambda: "setpoint/n2" in delivered(shared), 200, log, tmp_path / "second.log")
    finally:
        for worker in workers:
            worker.send_signal(signal.SIGTERM)
            worker.wait(60)
    assert delivered(shared) == {"setpoint/n1", "setpoint/n2"}
    assert git(shared, "show", "setpoint/n2:notes/n1.txt") == "n1"  # it began from what n1 had delivered
