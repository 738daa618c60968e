"""A measurement that costs little, for landings that are killed: it runs the commands of all that landed."""

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from setpoint.app.landing import lane
from setpoint.app.landing.measure import gates_of
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.landing import CombinationMeasured
from setpoint.system.git.git import tree_of
from setpoint.wiring.project import open_project


async def measure(project, landing, queued, commit, *, again):
    """Run the acceptance commands of a story and of those before it on a merge; note that it was paid."""
    stories = [*(landing.queued(each.story) for each in landing.landed), queued]
    asked = [word for each in stories for word in gates_of(project, each).order.story.acceptance]
    with (project.state / "paid").open("a") as paid:
        paid.write(f"{queued.story} {commit}\n")
    red = await asyncio.to_thread(failing, project.root, commit, dict.fromkeys(asked))
    if queued.story.startswith("flaky") and not again:
        red = ["it timed out"]
    tree = await tree_of(project.root, commit)
    told = {"landing": landing.name, "story": queued.story, "commit": commit, "red": tuple(red)}
    evaluation = Evaluation(stage=Stage.TEST, commit=commit, tree=tree, evidence=())
    return CombinationMeasured(**told, evaluation=evaluation)


def failing(root, commit, commands):
    """Return the commands that fail on a commit."""
    with tempfile.TemporaryDirectory() as place:
        words = ["git", "archive", commit]
        archive = subprocess.run(words, cwd=root, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", place], input=archive, check=True)
        return [word for word in commands if not passes(word, place)]


def passes(word, place):
    """Run a command as a story gives it."""
    return subprocess.run(word, shell=True, cwd=place, check=False).returncode == 0


if __name__ == "__main__":
    lane.measure = measure
    lane.land_once(open_project(Path(sys.argv[1])), into="main")
