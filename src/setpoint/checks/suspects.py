"""Names the lines at fault in a tree whose tests fail, where its runners can be watched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.checks.localise.suspicious_lines import Localiser
from setpoint.checks.localise.watched_runners import spectra_of
from setpoint.checks.measurement import Measuring, Task, furnish
from setpoint.model.evaluation import Evaluation
from setpoint.ports import Measured
from setpoint.system.git.git import files_at


async def with_suspects(
    judged: Evaluation,
    measuring: Measuring,
    task: Task,
    place: Measured,
    changed: Mapping[str, set[int]],
) -> Evaluation:
    """Return the evaluation with the lines that its failing tests run more than passing ones.

    The tree is checked out at `place`; its tests run again there, watched, for `failures.localise_s` seconds
    at most. `changed` are the lines of the work by path, which come first.
    """
    path = place.copy.path
    await furnish(task.project, Path(path))
    plan = measuring.plan(task, place.copy.trace_id, measuring.state)
    failing = tuple(each.test for each in judged.failures)
    suites = plan.selection(await measuring.target(task, place), failing)
    runner = plan.runner() if "pytest" in task.project.chosen else None
    localiser = Localiser(
        spectra=spectra_of(runner, await files_at(path, place.commit), suites),
        limit_s=measuring.settings.failures.localise_s,
        changed=changed,
    )
    found = await localiser.look(place, judged.failures)
    return judged.model_copy(update={"suspects": found.suspects, "localised": found.how})
