"""A run as spans: everything that took time has its place, and every name is one of the conventions'."""

from datetime import timedelta

import pytest

from history.report_runs import BEGAN, measured, recorded, verified_run
from model.examples import EXAMPLES, HALT, ORDER
from setpoint.history.traces.spans import SCHEMA_URL, spans
from setpoint.model import events as e
from setpoint.model.attempt import Breakage, BreakageKind, Stop
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Stage
from setpoint.testing import Scene

HIDDEN = (
    "prompt",
    "the total is rounded twice",
    "src/cart.py",
    "look at the rounding",
    "are used up",
    "pytest -q",
)


def by_path(found):
    assert len({span.path for span in found}) == len(found)
    return {span.path: span for span in found}


def test_a_run_is_told_from_the_whole_down_to_its_checks(tmp_path):
    events = verified_run(tmp_path)
    found = by_path(spans(events))
    run = found["run"]
    assert (run.parent, run.name, run.failed) == (None, "invoke_workflow change", None)
    assert (run.started_at, run.ended_at) == (events[0].at, events[-1].at)
    assert run.attributes["setpoint.run.ending"] == "verified"
    assert run.attributes["gen_ai.conversation.id"] == events[0].body.order.trace_id
    iterations = [span for span in found.values() if span.name == "iteration"]
    assert [span.attributes["setpoint.iteration"] for span in iterations] == [1, 2, 3]
    assert all(span.parent == "run" for span in iterations)
    decided = [note for span in iterations for note in span.notes if note.name == "setpoint.halting.decided"]
    assert [note.attributes["setpoint.halting.action"] for note in decided][-1] == "halt"
    evaluations = [span for span in found.values() if span.name.startswith("evaluate ")]
    assert evaluations
    for span in evaluations:
        checks = [each for each in found.values() if each.parent == span.path]
        assert {each.attributes["setpoint.check.name"] for each in checks} >= {"ruff", "mypy"}


def test_parents_come_first_and_last_as_long_as_their_parts(tmp_path):
    for events in (verified_run(tmp_path), recorded(*every_kind())):
        seen = {}
        for span in spans(events):
            assert span.started_at <= span.ended_at
            if span.parent is not None:
                assert seen[span.parent].ended_at >= span.ended_at, span.path
            seen[span.path] = span


def every_kind():
    """Give one event of each kind, begun as a run begins."""
    return tuple(EXAMPLES[kind] for kind in ("run.started", *(k for k in EXAMPLES if k != "run.started")))


def test_an_agent_its_tools_and_its_models_stand_in_its_phase():
    bodies = [EXAMPLES[kind] for kind in ("run.started", "phase.entered", "agent.started", "tool.executed")]
    bodies += [EXAMPLES["model.called"], EXAMPLES["agent.finished"]]
    found = by_path(spans(recorded(*bodies)))
    agent = found["iteration-1/implement/implement-1"]
    assert (agent.name, agent.parent) == ("invoke_agent scripted", "iteration-1/implement")
    assert agent.attributes["gen_ai.usage.input_tokens"] == 1200
    assert agent.attributes["setpoint.cost_usd"] == pytest.approx(0.0215)
    assert (agent.started_at, agent.ended_at) == (BEGAN + timedelta(seconds=6), BEGAN + timedelta(seconds=12))
    tool, model = (span for span in found.values() if span.parent == agent.path)
    assert (tool.name, tool.attributes["gen_ai.tool.name"]) == ("execute_tool bash", "bash")
    assert (tool.ended_at - tool.started_at).total_seconds() == pytest.approx(0.52)
    assert (model.name, model.kind) == ("chat claude-sonnet-4-5", "client")
    assert model.attributes["gen_ai.provider.name"] == "anthropic"
    assert model.attributes["gen_ai.usage.output_tokens"] == 50


def test_a_try_that_was_lost_has_failed_and_one_under_way_lasts_until_now():
    start = EXAMPLES["agent.started"]
    again = start.model_copy(update={"attempt": 2})
    bodies = (EXAMPLES["run.started"], EXAMPLES["phase.entered"], start, again, EXAMPLES["budget.warned"])
    found = by_path(spans(recorded(*bodies)))
    lost, under_way = found["iteration-1/implement/implement-1"], found["iteration-1/implement/implement-1-2"]
    assert (lost.failed, lost.attributes["error.type"]) == ("lost", "lost")
    assert (under_way.failed, under_way.ended_at) == (None, BEGAN + timedelta(seconds=10))


def test_what_came_from_a_cache_ran_at_another_time_and_has_no_span():
    body = measured(1, Stage.TEST, Scene())
    kept = tuple(each.model_copy(update={"cached": True}) for each in body.evaluation.evidence)
    body = body.model_copy(update={"evaluation": body.evaluation.model_copy(update={"evidence": kept})})
    found = spans(recorded(EXAMPLES["run.started"], body))
    (span,) = (each for each in found if each.name == "evaluate test")
    assert span.attributes["setpoint.evaluation.cached"] == len(kept)
    assert not [each for each in found if each.name.startswith("check ")]


def test_waiting_for_a_person_is_a_span_and_no_part_of_a_phase():
    bodies = (
        e.PhaseEntered(phase="test", iteration=7),
        EXAMPLES["gate.requested"],
        EXAMPLES["gate.answered"],
    )
    found = by_path(spans(recorded(EXAMPLES["run.started"], *bodies)))
    waited = found["gate-escalation-7"]
    assert (waited.ended_at - waited.started_at).total_seconds() == 2
    assert waited.attributes["setpoint.gate.choice"] == "continue"
    assert found["iteration-7/test"].ended_at == waited.started_at
    ended = recorded(EXAMPLES["run.started"], *bodies, EXAMPLES["run.finished"])
    assert by_path(spans(ended))["iteration-7"].ended_at == waited.started_at


def test_names_figures_and_outcomes_are_told_and_no_text_of_agents_or_people():
    told = "".join(span.model_dump_json() for span in spans(recorded(*every_kind())))
    assert [text for text in HIDDEN if text in told] == []
    assert ORDER.story.title not in told


def test_what_broke_is_told_by_its_kind_and_not_by_its_words():
    broken = EXAMPLES["agent.finished"].snapshot.attempt.model_copy(
        update={"stop": Stop.BROKEN, "breakage": Breakage(kind=BreakageKind.CRASH, message="secret-words")}
    )
    made = EXAMPLES["agent.finished"]
    made = made.model_copy(update={"snapshot": made.snapshot.model_copy(update={"attempt": broken})})
    thought = EXAMPLES["phase.completed"].model_copy(update={"breakage": broken.breakage})
    call = EXAMPLES["model.called"]
    call = call.model_copy(
        update={"call": call.call.model_copy(update={"status": 0, "fault": "secret-words"})}
    )
    stopped = EXAMPLES["run.finished"].outcome.model_copy(
        update={"ending": Ending.STOPPED, "reason": "secret-words", "halt": HALT}
    )
    bodies = (EXAMPLES["run.started"], e.PhaseEntered(phase="plan"), thought, EXAMPLES["agent.started"])
    found = spans(recorded(*bodies, call, made, e.RunFinished(outcome=stopped)))
    failed = {span.name: span.failed for span in found if span.failed is not None}
    assert failed == {
        "invoke_workflow change": "stopped",
        "invoke_agent rules": "crash",
        "invoke_agent scripted": "crash",
        "chat claude-sonnet-4-5": "no whole answer",
    }
    assert found[0].attributes["setpoint.guard"] == "max_iterations"
    assert "secret-words" not in "".join(span.model_dump_json() for span in found)


def test_every_name_is_one_of_the_conventions_as_they_are_pinned():
    from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as known
    from opentelemetry.semconv.schemas import Schemas

    names = {
        name
        for span in spans(recorded(*every_kind()))
        for source in (span.attributes, *(note.attributes for note in span.notes))
        for name in source
        if name.startswith("gen_ai.")
    }
    assert len(names) >= 10
    assert names <= {value for key, value in vars(known).items() if key.startswith("GEN_AI_")}
    operations = {each.value for each in known.GenAiOperationNameValues}
    used = {span.attributes.get("gen_ai.operation.name") for span in spans(recorded(*every_kind()))} - {None}
    assert used <= operations
    assert used == {"invoke_workflow", "invoke_agent", "execute_tool", "chat"}
    assert SCHEMA_URL in {each.value for each in Schemas}
