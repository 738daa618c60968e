"""From a labelled issue to a merged pull request on the fake GitHub: by looks, by webhook, after a crash."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from setpoint.testing.forge import FakeForge
from setpoint.wiring.project import open_project, run_list

EXAMPLE = Path(__file__).parents[2] / "examples" / "github-flow"
SECRET = "a secret of the webhook"
PATIENCE_S = 200.0
FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "tests/test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}

pytestmark = [pytest.mark.slow, pytest.mark.timeout(580)]


def test_the_example_goes_the_whole_way():
    done = subprocess.run(
        [sys.executable, str(EXAMPLE / "flow.py")], capture_output=True, text=True, check=False, timeout=560
    )

    assert done.returncode == 0, done.stderr[-3000:]
    assert "IMPLEMENTATION_VERIFIED" in done.stdout
    assert "mallory may not push" in done.stdout
    assert re.search(r"issue 1: \S+: pull request 2 \(merged\)", done.stdout)
    assert "A negative discount must be refused" in done.stdout.partition("what is recorded")[2]


@pytest.fixture
def forge(tmp_path):
    with FakeForge(tmp_path / "forge", files=FILES) as made:
        made.people["ana"] = "write"
        yield made


@pytest.fixture
def clone(forge, tmp_path):
    place = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", forge.clone_url_as(forge.token), str(place)], check=True)
    for name, value in (("user.name", "Olga"), ("user.email", "olga@example.com")):
        subprocess.run(["git", "config", name, value], cwd=place, check=True)
    (place / "setpoint.toml").write_text(
        f'[agents]\nmaker = "mechanic"\n\n[forge]\nkind = "github"\napi_url = "{forge.api_url}"\n'
        f'repository = "{forge.repository}"\ninto = "main"\npoll_s = 5\n'
    )
    return place


class Started:
    """A verb of Setpoint that is under way, with what it printed."""

    def __init__(self, clone, forge, *words):
        environment = {**os.environ, "FORGE_TOKEN": forge.app_token(), "FORGE_WEBHOOK_SECRET": SECRET}
        self.output = clone.parent / f"{'-'.join(words)}-{time.monotonic_ns()}.txt"
        with self.output.open("w") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "-m", "setpoint", *words],
                cwd=clone,
                env=environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def until(self, pattern):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            text = self.output.read_text()
            if found := re.search(pattern, text):
                return found
            assert self.process.poll() is None, text[-3000:]
            time.sleep(0.2)
        raise AssertionError(f"{pattern} never came: {self.output.read_text()[-3000:]}")

    def finished(self):
        self.process.wait(PATIENCE_S)
        return self.output.read_text()

    def end(self, how=signal.SIGTERM):
        """End it with everything that it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)
            self.process.wait(30)


def test_a_webhook_orders_work_that_survives_a_crash(forge, clone):
    server = Started(clone, forge, "serve", "--port", "0")
    try:
        address = server.until(r"http://127\.0\.0\.1:\d+")[0]
        hook = forge.deliver_to(f"{address}/hooks/forge", SECRET)
        issue = forge.open_issue("Make the failing tests pass", "add subtracts.", by="ana")
        hook.double_next()
        forge.label(issue.number, "setpoint", by="ana")
        hook.flush()
        assert {each.status for one in hook.deliveries for each in one.attempts} == {202}

        first = Started(clone, forge, "forge", "watch")
        first.until(r"implement #1")
        first.end(signal.SIGKILL)
        assert forge.pulls() == []

        again = Started(clone, forge, "forge", "watch", "--until-idle").finished()
        (pull,) = forge.pulls()
        assert "mend" in pull.title.lower() or "failing tests" in pull.title.lower(), again
        assert not pull.merging.draft, again
        assert [each.body["conclusion"] for each in forge.checks] == ["success"]
        assert forge.read(pull.merging.head_sha, "calc.py") == "def add(a, b):\n    return a + b\n"

        forge.comment(pull.number, "/setpoint status", by="ana")
        forge.comment(pull.number, "/setpoint status", by="mallory")
        hook.flush()
        Started(clone, forge, "forge", "watch", "--until-idle").finished()
        answers = [
            each.body for each in pull.comments if each.author != "ana" and "/setpoint" not in each.body
        ]
        assert len(answers) == 1
        assert "verified" in answers[0]
    finally:
        server.end()
    project = open_project(clone)
    assert [run.branch != "" for run in run_list(project, 10)] == [True]
    project.store.close()


def job(clone, forge, event, home):
    """Run the entry point of the action with nothing but what GitHub sets."""
    home.mkdir(exist_ok=True)
    variables = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_NAME": event,
        "GITHUB_REPOSITORY": forge.repository,
        "GITHUB_API_URL": forge.api_url,
        "GITHUB_REF_NAME": "main",
        "GITHUB_TOKEN": forge.app_token(),
    }
    command = [sys.executable, "-m", "setpoint", "ci", "github", "run"]
    return subprocess.run(
        command, cwd=clone, env=variables, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.parametrize(
    "event", ["pull_request", "pull_request_target", "pull_request_review", "workflow_run", "push", ""]
)
def test_the_action_runs_nothing_on_events_that_may_bring_foreign_code(forge, clone, tmp_path, event):
    done = job(clone, forge, event, tmp_path / "home")

    assert done.returncode == 2
    assert "::error" in done.stdout
    assert forge.pulls() == []


def test_the_action_turns_a_labelled_issue_into_a_pull_request(forge, clone, tmp_path):
    (clone / "setpoint.toml").write_text('[agents]\nmaker = "mechanic"\n')
    issue = forge.open_issue("Make the failing tests pass", "add subtracts.", by="ana")
    forge.label(issue.number, "setpoint", by="ana")
    done = job(clone, forge, "issues", tmp_path / "home")

    assert done.returncode == 0, done.stdout + done.stderr
    (pull,) = forge.pulls()
    assert not pull.merging.draft
    again = job(clone, forge, "schedule", tmp_path / "home")
    assert again.returncode == 0, again.stdout + again.stderr
    assert forge.pulls() == [pull]
