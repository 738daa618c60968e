"""What an interrupted run has done, and the commands that continue or end it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from setpoint.app.views.live import LiveRun
from setpoint.history import phrases
from setpoint.history.replay import History, history
from setpoint.model.events.run import AgentBroke
from setpoint.model.ids import TraceId
from setpoint.model.run import Round, RunOrder
from setpoint.model.unjudged import UnjudgedEdits
from setpoint.model.wording import counted
from setpoint.wiring.project import Project
from setpoint.workspace.snapshot_store import repository_of_run


def standing_lines(project: Project, trace_id: TraceId) -> tuple[str, ...]:
    """Say what a run has done, its best state, and the commands to continue; none if nothing is recorded."""
    events = project.log.replay(trace_id)
    if not events:
        return ()
    told = history(events)
    moment = LiveRun(events).moment(told.last_at)
    tokens = f", {moment.tokens} tokens" if moment.tokens else ""
    where = (
        f"iteration {moment.iteration} of {moment.most_iterations}, {moment.phase or 'measuring the base'}"
    )
    done = f"{where}; {phrases.duration(told.active_s)}, {moment.cost}{tokens}"
    lines = [f"done:    {done}", f"best:    {best_line(told)}"]
    best = _best_round(told)
    if best is not None:
        folder = shlex.quote(str(repository_of_run(project.state, trace_id)))
        lines.append(
            f"look:    git --git-dir {folder} diff {told.order.base[:10]} {best.snapshot.commit[:10]}"
        )
    for pane in moment.panes:
        place = f"{told.workdir}-c{pane.candidate}" if pane.candidate else told.workdir
        broke = any(isinstance(each.body, AgentBroke) and each.body.label == pane.label for each in events)
        earlier = "; `setpoint stop` names what its earlier tries left" if broke else ""
        lines.append(f"edits:   what the last try of {pane.label} left is in {place}{earlier}")
    return (
        *lines,
        f"resume:  setpoint resume {trace_id}",
        f"end:     setpoint stop {trace_id}   (a state that is better than the base becomes a branch)",
    )


def unjudged_lines(
    project: Project, order: RunOrder, unjudged: Sequence[UnjudgedEdits], *, named: bool = False
) -> tuple[str, ...]:
    """Return the commands that show each state that was not judged, and make it a branch.

    With `named` a line before them says what each state is.
    """
    lines: list[str] = []
    for each in unjudged:
        name = TraceId(each.copy_of or order.trace_id)
        folder = shlex.quote(str(repository_of_run(project.state, name)))
        lines += [f"edits:   {each.shown}"] if named else []
        lines.append(f"look:    {phrases.look_command(folder, order.base, each)}")
        lines.append(f"keep:    {phrases.keep_command(folder, order.trace_id, each)}")
    return tuple(lines)


def _best_round(told: History) -> Round | None:
    from setpoint.phase.policy.best_state import ranked  # who only reads the record loads no loop

    return next(iter(ranked(told.rounds, told.order.weights)), None)


def best_line(told: History) -> str:
    """Say which state of a run is the best, and what is wrong with it."""
    best = _best_round(told)
    if best is None:
        return "none yet; no branch is made"
    failing, blocking = len(best.latest.failures), len(best.latest.blocking)
    state = (
        "verified"
        if best.verified
        else f"{counted(failing, 'failing test')}, {counted(blocking, 'blocking finding')}"
    )
    return f"iteration {best.number}, {best.snapshot.commit[:10]}: {state}"
