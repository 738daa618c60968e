"""`setpoint stop`: a run is ended from another terminal, with all that its agent started."""

import json
import subprocess
import sys
import time

from acceptance.conftest import WISH
from acceptance.test_run_verb import _events, _living, _until

SLEEPY = "4733"


def begun(repository, **environment):
    argv = [sys.executable, "-m", "setpoint", "run", WISH, "--agent", "actor", "--json"]
    return subprocess.Popen(
        argv,
        cwd=repository.root,
        env=repository.environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def test_a_living_run_is_ended_by_its_own_process(repository):
    repository.agent([{"daemon": int(SLEEPY)}, {"sleep": 600}])
    running = begun(repository)
    _until(lambda: "agent.started" in _events(repository, running) and _living(SLEEPY))

    done = repository.setpoint("stop", "run-", "--reason", "wrong story", "--json")
    assert done.stdout.startswith("{"), done.stderr

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["ending"]) == (12, "cancelled")
    assert "wrong story" in outcome["reason"]
    printed, _ = running.communicate(timeout=30)
    assert (running.returncode, json.loads(printed)["ending"]) == (12, "cancelled")
    _until(lambda: not _living(SLEEPY), seconds=10)
    again = repository.setpoint("stop", "run-")
    assert (again.returncode, "finished already: cancelled" in again.stderr) == (2, True)


def test_a_run_that_nobody_drives_is_ended_by_who_cancels(repository):
    repository.agent([{"sleep": 600}])
    running = begun(repository)
    _until(lambda: "agent.started" in _events(repository, running))
    running.kill()
    running.communicate()
    time.sleep(0.5)

    secret = "AKIAIOSFODNN7EXAMPLE"
    done = repository.setpoint("stop", "run-", "--reason", f"it prints {secret}")

    assert done.returncode == 12
    told = repository.setpoint("show", "run-", "--json").stdout
    assert ("it prints" in told, secret in told) == (True, False)
    assert json.loads(repository.setpoint("status", "--json").stdout)[0]["ending"] == "cancelled"
