"""What an interrupted run has done, and the commands that continue or end it."""

from history.report_runs import verified_run
from model.examples import EXAMPLES
from setpoint.app.runs.standing import standing_lines
from setpoint.model.events.run import IterationEvaluated
from web.conftest import make_project


def test_what_is_done_the_best_state_and_the_commands_are_told(tmp_path):
    project = make_project(tmp_path / "project")
    started, *rest = verified_run(tmp_path)
    trace = "run-5stopped"
    going = started.body.order.model_copy(update={"trace_id": trace})
    assert standing_lines(project, trace) == ()
    project.log.append(trace, "start", [started.body.model_copy(update={"order": going})])
    assert "measuring the base" in standing_lines(project, trace)[0]
    for event in rest:
        project.log.append(trace, event.key, [event.body])
        if isinstance(event.body, IterationEvaluated):
            break
    lines = dict(line.split(":", 1) for line in standing_lines(project, trace))
    assert "iteration 1 of 7, implement; " in lines["done"]
    assert "iteration 1" in lines["best"]
    assert "snapshots/run-5stopped.git diff" in lines["look"]
    assert lines["resume"].strip() == f"setpoint resume {trace}"
    assert lines["end"].strip().startswith(f"setpoint stop {trace}")
    started, broke = [
        EXAMPLES[kind].model_copy(update={"label": "implement-2"})
        for kind in ("agent.started", "agent.broke")
    ]
    project.log.append(trace, "begun-2", [started])
    assert told_edits(project, trace).startswith("what the last try of implement-2 left is in ")
    assert "earlier" not in told_edits(project, trace)
    project.log.append(trace, "broke-2", [broke])
    project.log.append(trace, "again-2", [started.model_copy(update={"attempt": 2})])
    assert "`setpoint stop` names what its earlier tries left" in told_edits(project, trace)
    project.store.close()


def told_edits(project, trace):
    """Return the line about the edits of an attempt that is under way."""
    lines = dict(line.split(":", 1) for line in standing_lines(project, trace))
    return lines["edits"].strip()
