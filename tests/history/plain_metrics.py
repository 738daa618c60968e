"""The metrics once more, in plain Python over the events themselves: shares nothing with the SQL."""

from datetime import timedelta
from statistics import fmean

import pytest

from setpoint.model import events as e
from setpoint.model.ending import Ending
from setpoint.model.events import learning as m
from setpoint.model.events import people
from setpoint.model.finding import Category
from setpoint.model.gate import Choice, Via
from setpoint.model.verdict import Judgement

STUCK = {
    "max_empty_diffs",
    "max_rounds_without_gain",
    "max_rounds_worse",
    "max_same_review_issue",
    "max_same_test_failure",
    "repeated_findings",
    "stagnation",
}


def plain(events, since, until):
    """Give (value, n) of every metric, and of every part as `metric:label`; what is missing was not."""
    runs = {}
    for event in events:
        runs.setdefault(event.trace_id, []).append(event)
    within = lambda event: since <= event.at.date() <= until
    ended = [
        [event.body for event in run]
        for run in runs.values()
        if any(isinstance(event.body, e.RunFinished) and within(event) for event in run)
    ]
    recent = [event.body for event in events if within(event)]
    samples = {}
    for measured in (
        _of_runs(ended),
        _of_phases(ended),
        _of_bounces(ended),
        _of_events(recent),
        _of_tries(recent),
        _of_people(runs, within),
        _of_predictions(ended),
        _of_memory(ended, recent),
    ):
        samples.update(measured)
    found = {name: (fmean(values), len(values)) for name, values in samples.items() if values}
    return {
        **found,
        **_of_money(ended),
        **_of_reasons(ended),
        **_of_learnings(ended, recent),
        **_of_uplift(ended),
    }


def window_before(since, until):
    length = until - since + timedelta(days=1)
    return since - length, until - length


def _of(bodies, kind):
    return [body for body in bodies if isinstance(body, kind)]


def _outcome(run):
    return _of(run, e.RunFinished)[0].outcome


def _of_runs(ended):
    outcomes = [_outcome(run) for run in ended]
    gains = [
        _outcome(run).score - base.evaluation.score
        for run in ended
        for base in _of(run, e.BaselineMeasured)
        if base.evaluation.score is not None and _outcome(run).score is not None
    ]
    return {
        "success_rate": [each.ending is Ending.VERIFIED for each in outcomes],
        "iterations_per_run": [each.iterations for each in outcomes],
        "run_duration": [each.duration_s for each in outcomes],
        "quality_gain": gains,
        "stagnation_rate": [
            any(g.halt.guard in STUCK for g in _of(run, e.GuardFired)) or bool(_of(run, e.LoopStagnated))
            for run in ended
        ],
        "diminishing_returns_rate": [bool(_of(run, e.DiminishingReturns)) for run in ended],
        "integrity_violation_rate": [_violated(run) for run in ended],
        "protected_restored_rate": [
            any(each.evaluation.restored for each in _of(run, e.IterationEvaluated))
            or any(each.snapshot.restored for each in _of(run, e.AgentFinished))
            for run in ended
        ],
    }


def _violated(run):
    findings = [finding for each in _of(run, e.IterationEvaluated) for finding in each.evaluation.findings]
    return any(finding.category is Category.INTEGRITY and finding.blocking for finding in findings)


def _of_phases(ended):
    found, approved = {"iterations_per_phase": []}, []
    for run in ended:
        entered = [body.phase for body in _of(run, e.PhaseEntered)]
        for phase in set(entered):
            found["iterations_per_phase"].append(entered.count(phase))
            found.setdefault(f"iterations_per_phase:{phase}", []).append(entered.count(phase))
        approvals = _of(run, e.PhaseApproved)
        reviews = [
            each for each in _of(run, e.ReviewCompleted) if each.verdict.judgement is not Judgement.FAILED
        ]
        if approvals or reviews:
            approved.append(any(each.bounces == 0 for each in approvals))
    return {**found, "first_pass_approval_rate": approved}


def _of_bounces(ended):
    found = {"bounces_per_run": [len(_of(run, e.PhaseBounce)) for run in ended], "bounce_resolution_rate": []}
    for source in {body.source for run in ended for body in _of(run, e.PhaseBounce)}:
        counts = [sum(body.source == source for body in _of(run, e.PhaseBounce)) for run in ended]
        found[f"bounces_per_run:{source}"] = counts
    for run in ended:
        places = [place for place, body in enumerate(run) if isinstance(body, e.PhaseBounce)]
        for place, end in zip(places, [*places[1:], len(run)][: len(places)], strict=True):
            between, source = run[place + 1 : end], run[place].source
            decisions = _of(between, e.HaltingDecided)
            if decisions:
                passed = any(
                    isinstance(body, e.PhaseApproved | e.PhasePassed) and body.phase == source
                    for body in between
                )
                resolved = passed or any(each.decision.action == "halt" for each in decisions)
                found["bounce_resolution_rate"].append(resolved)
                found.setdefault(f"bounce_resolution_rate:{source}", []).append(resolved)
    return found


def _of_events(recent):
    calls = [body.call for body in _of(recent, e.ToolExecuted)]
    evaluations = [body.evaluation for body in _of(recent, e.BaselineMeasured | e.IterationEvaluated)]
    found = {
        "tool_success_rate": [call.ok for call in calls if call.ok is not None],
        "tool_duration": [call.duration_s for call in calls if call.duration_s is not None],
        "flaky_rate": [bool(each.flaky) for each in evaluations if each.quality.test_count is not None],
        "quality_by_iteration": [],
    }
    for name in {call.name for call in calls}:
        own = [call for call in calls if call.name == name]
        found[f"tool_success_rate:{name}"] = [call.ok for call in own if call.ok is not None]
        found[f"tool_duration:{name}"] = [call.duration_s for call in own if call.duration_s is not None]
    for body in _of(recent, e.IterationEvaluated):
        if body.evaluation.stage in ("test", "confirm") and body.evaluation.score is not None:
            found["quality_by_iteration"].append(body.evaluation.score)
            found.setdefault(f"quality_by_iteration:{body.iteration}", []).append(body.evaluation.score)
    return found


def _of_tries(recent):
    found = {"agent_breakage_rate": [], "cost_per_try": []}
    for body in recent:
        usage, lost = None, 0
        match body:
            case e.AgentFinished(candidate=candidate) if candidate:
                continue  # told when the candidate was made
            case e.AgentFinished(snapshot=snapshot) | e.CandidateMade(snapshot=snapshot):
                role, lost, attempt = "making", body.lost, snapshot.attempt
                usage = attempt.usage if attempt else None
                broke = attempt is not None and attempt.breakage is not None
            case e.PhaseCompleted():
                role, usage, broke = "thinking", body.usage, body.breakage is not None
            case e.ReviewCompleted():
                role, usage, broke = "review", body.usage, body.verdict.judgement is Judgement.FAILED
            case _:
                continue
        for key in ("agent_breakage_rate", f"agent_breakage_rate:{role}"):
            found.setdefault(key, []).extend([*([True] * lost), broke])
        if usage is not None and usage.cost_usd is not None:
            for key in ("cost_per_try", f"cost_per_try:{role}"):
                found.setdefault(key, []).append(float(usage.cost_usd))
    return found


def _of_people(runs, within):
    found = {}
    for run in runs.values():
        asked = {event.body.gate.id: event for event in run if isinstance(event.body, e.GateOpened)}
        for event in run:
            if not isinstance(event.body, e.GateAnswered) or not within(event):
                continue
            question, answer = asked[event.body.gate], event.body.answer
            values = {"unanswered_rate": answer.via is Via.DEADLINE}
            if answer.via is not Via.DEADLINE:
                obeyed = (Choice.CANCEL, Choice.REJECT, Choice.PROVE, Choice.RETRY)
                values["override_rate"] = answer.choice not in obeyed
                values["time_to_human_response"] = (event.at - question.at).total_seconds()
            for name, value in values.items():
                found.setdefault(name, []).append(value)
                found.setdefault(f"{name}:{question.body.gate.kind}", []).append(value)
    return found


def _of_memory(ended, recent):
    judged = [item for body in _of(recent, m.LearningsJudged) for item in body.items]
    found = {
        "learning_application_rate": [
            any(item.shown for body in _of(run, m.MemoryRecalled) for item in body.items) for run in ended
        ],
        "memory_precision": [item.followed for item in judged],
    }
    for body in _of(recent, people.FindingDismissed | people.FixApplied | people.FixRewritten):
        for name, kind in (
            ("dismissal_rate", people.FindingDismissed),
            ("fix_application_rate", people.FixApplied),
        ):
            for key in (name, f"{name}:{body.category}"):
                found.setdefault(key, []).append(isinstance(body, kind))
    return found


def _of_learnings(ended, recent):
    count = sum(len(body.learnings) for body in _of(recent, m.ReflectionCompleted))
    return {"learnings_per_run": (count / len(ended), len(ended))} if ended else {}


def _of_uplift(ended):
    came = {True: [], False: []}
    for run in ended:
        ending = _outcome(run).ending
        if ending in (Ending.CANCELLED, Ending.BROKEN_AGENT):
            continue
        fitted = [item for body in _of(run, m.MemoryRecalled) for item in body.items]
        for learning in {item.learning for item in fitted}:
            shown = any(item.shown for item in fitted if item.learning == learning)
            came[shown].append(ending is Ending.VERIFIED)
    if not came[True] or not came[False]:
        return {}
    return {"memory_uplift": (fmean(came[True]) - fmean(came[False]), len(came[True]) + len(came[False]))}


def _of_predictions(ended):
    found = {}
    for run in ended:
        came = _outcome(run).ending is Ending.VERIFIED
        for body in _of(run, e.HaltingDecided):
            stated = body.decision.figures.get("p_verified")
            if stated is not None:
                for name in ("verified_calibration", f"verified_calibration:{body.decision.policy}"):
                    found.setdefault(name, []).append((stated - came) ** 2)
    return found


def _of_money(ended):
    known = [outcome for outcome in map(_outcome, ended) if outcome.cost_known]
    total = float(sum(outcome.cost_usd for outcome in known))
    verified = sum(outcome.ending is Ending.VERIFIED for outcome in known)
    found = {"cost_per_run": (total / len(known), len(known))} if known else {}
    return {**found, "cost_per_verified_run": (total / verified, verified)} if verified else found


def _of_reasons(ended):
    reasons = [
        outcome.halt.guard if outcome.halt else str(outcome.ending)
        for outcome in map(_outcome, ended)
        if outcome.ending is not Ending.VERIFIED
    ]
    if not ended:
        return {}
    count = len(ended)
    parts = {f"halt_reasons:{each}": (reasons.count(each) / count, count) for each in set(reasons)}
    return {"halt_reasons": (len(reasons) / count, count), **parts}


def flat(made, *, value="value", n="n"):
    """Give what a report says as the plain computation does."""
    found = {}
    for metric in made.metrics:
        if getattr(metric, value) is not None:
            found[metric.name] = (getattr(metric, value), getattr(metric, n))
    return found


def same(one, other):
    assert set(one) == set(other)
    for name, (value, n) in one.items():
        assert n == other[name][1], name
        # A database may give times between events to the millisecond.
        tolerance = 1e-3 if "response" in name else 1e-9
        assert value == pytest.approx(other[name][0], rel=1e-9, abs=tolerance), name
