"""Run one phase and stop, so that the run can continue later."""

from __future__ import annotations

from typing import NamedTuple

from setpoint.app.runs.drive import drive_run
from setpoint.errors import RunWaiting
from setpoint.model.events import Body
from setpoint.model.events.run import (
    AgentFinished,
    HaltingDecided,
    LoopRestarted,
    PhaseApproved,
    PhaseBounce,
    PhaseCompleted,
    PhaseEntered,
    PhasePassed,
)
from setpoint.model.run import RunOrder, RunOutcome
from setpoint.wiring.project import Project

_LEAVING = (AgentFinished, LoopRestarted, PhaseApproved, PhaseBounce, PhaseCompleted, PhasePassed)


class StepOutcome(NamedTuple):
    """What came of a step."""

    phases: tuple[str, ...]
    """Phases that were worked on."""
    outcome: RunOutcome | None
    """How the run ended; None while it continues."""
    waits: RunWaiting | None = None
    """What a person is asked, where the run waits for one."""


class _Enough(Exception):
    """Carries a run out of its loop at the boundary of a phase; nothing is recorded of it."""


class _Boundary:
    """Lets one phase begin, or those of one iteration, and then objects."""

    def __init__(self, project: Project, order: RunOrder, *, iteration: bool) -> None:
        self.phases: list[str] = []
        self._iteration = iteration
        self._decided = False
        for event in project.log.replay(order.trace_id):
            if isinstance(event.body, PhaseEntered):
                self.phases = [event.body.phase]
            elif isinstance(event.body, _LEAVING):
                self.phases = []  # else a crash left the phase half done, and finishing it is the step

    def pass_by(self, body: Body) -> None:
        """Note where the run is; raises at the first phase too many."""
        if isinstance(body, PhaseEntered):
            if self.phases and (self._decided or not self._iteration):
                raise _Enough
            self.phases.append(body.phase)
        elif isinstance(body, HaltingDecided):
            self._decided = True


def take_step(project: Project, order: RunOrder, *, iteration: bool = False) -> StepOutcome:
    """Run the next phase, or all up to the next bounce; `drive_run` or `take_step` continues it."""
    boundary = _Boundary(project, order, iteration=iteration)
    try:
        outcome = drive_run(project, order, boundary.pass_by)
    except _Enough:
        return StepOutcome(tuple(boundary.phases), None)
    except RunWaiting as waits:
        return StepOutcome(tuple(boundary.phases), None, waits)
    return StepOutcome(tuple(boundary.phases), outcome)
