"""Runs with two candidates are killed again and again: each attempt is paid once, and the end is the same."""

import json
import random

import pytest

from acceptance import test_crash_matrix as matrix
from acceptance.conftest import RIGHT, new_repository

KILLS = 7
RIGHT_ONE = [{"cost": 0.25}, {"sleep": 0.3}, {"shell": "sed -i 's/a - b/a + b/' calc.py"}, {"sleep": 0.1}]
WRONG_ONE = [{"cost": 0.25}, {"sleep": 0.2}, {"shell": "sed -i 's/a - b/a * b/' calc.py"}, {"sleep": 0.4}]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_whatever_is_killed_the_best_candidate_goes_on(tmp_path):
    chance, killed, runs = random.Random(20), 0, 0
    while killed < KILLS:
        runs += 1
        repository = new_repository(tmp_path / f"{runs}" / "user project")
        # The right one can be struck.
        repository.players(other=WRONG_ONE, actor=RIGHT_ONE)
        killed += driven(repository, chance, KILLS - killed)
        came_to_the_same_end(repository)


def driven(repository, chance, most):
    killed, running = 0, matrix.begun(repository, "--agents", "other,actor")
    while killed < min(most, 4) and matrix.strike(repository, running, chance):
        killed += 1
        running = matrix.begun(repository, "--agents", "other,actor")
    _, errors = running.communicate(timeout=matrix.SECONDS)
    assert running.returncode == 0, errors
    return killed


def came_to_the_same_end(repository):
    events = json.loads(repository.setpoint("show", "--json").stdout)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    bodies = [event["body"] for event in events]
    outcome = bodies[-1]["outcome"]
    assert (outcome["ending"], outcome["iterations"], outcome["bounces"]) == ("verified", 1, 0)
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    assert repository.git("status", "--porcelain") == ""
    made = [place for place, body in enumerate(bodies) if body["kind"] == "candidate.made"]
    assert sorted(bodies[place]["candidate"] for place in made) == [1, 2]
    for place in made:
        label = bodies[place]["snapshot"]["label"]
        later = [body["label"] for body in bodies[place:] if body["kind"] == "agent.started"]
        assert label not in later
    (chosen,) = [body for body in bodies if body["kind"] == "candidate.chosen"]
    assert [each["agent"] for each in chosen["standings"]] == ["actor", "other"]
    # A try that was killed before it told anything is recorded, too, with a cost that is not known.
    spent = [body for body in bodies if body["kind"] == "agent.spent" and body["usage"]["cost_usd"]]
    told = {(body["label"], body["attempt"]) for body in spent}
    assert float(outcome["cost_usd"]) == pytest.approx(0.25 * len(told))
    for name in ("actor", "other"):
        assert matrix.gone(str(repository.root.parent / f"{name}.json"))
