"""The one place of SQL behind the metrics: counts and sums of recorded events, by day and label.

Every tally is a table of additive figures, so that a window, its predecessor and a single day are sums over
the same rows. A run belongs to the day on which it finished, with all its events; tool calls, tries,
measurements and answers belong to their own day.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from setpoint.database.tables import EVENT
from setpoint.history.metrics.window import Body, Column, Window
from setpoint.model.ending import Ending
from setpoint.model.gate import Choice, Via

STAGNATION_GUARDS = (
    "max_empty_diffs",
    "max_rounds_without_gain",
    "max_rounds_worse",
    "max_same_review_issue",
    "max_same_test_failure",
    "repeated_findings",
    "stagnation",
)
"""Guards that fire where a loop repeats itself or makes no progress."""
OVERRIDES = (Choice.CONTINUE, Choice.ACCEPT, Choice.APPROVE, Choice.DISMISS)
"""Answers that set aside what Setpoint had decided: to stop, to protect a file, or to follow a reviewer."""

SAYS_NOTHING = (Ending.CANCELLED, Ending.BROKEN_AGENT, Ending.MET, Ending.UNPROVABLE)
"""Endings of runs that say nothing about what was shown to them."""

_LAST = 2**31 - 1
_BLOCKING = ("error", "critical")


def _count(condition: Column) -> Column:
    return sa.func.count(sa.case((condition, 1)))


def _runs_with(condition: Column) -> Column:
    return sa.func.count(sa.distinct(sa.case((condition, EVENT.c.trace_id))))


def _outcomes(window: Window) -> sa.Select[Any]:
    run = window.finished.c
    return sa.select(
        run.day,
        sa.func.count().label("runs"),
        _count(run.ending == "verified").label("verified"),
        sa.func.count(run.cost).label("costed"),
        sa.func.sum(run.cost).label("cost"),
        _count(sa.and_(run.ending == "verified", run.cost.is_not(None))).label("verified_costed"),
        sa.func.sum(run.iterations).label("iterations"),
        sa.func.sum(run.duration).label("duration"),
    ).group_by(run.day)


def _endings(window: Window) -> sa.Select[Any]:
    run = window.finished.c
    label = sa.func.coalesce(run.guard, run.ending).label("label")
    return (
        sa.select(run.day, label, sa.func.count().label("runs"))
        .where(run.ending != "verified")
        .group_by(run.day, label)
    )


def _gains(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished("baseline.measured")
    run, base = window.finished.c, window.json.number("evaluation.score")
    gain = run.score - base
    return (
        sa.select(run.day, sa.func.count(gain).label("runs"), sa.func.sum(gain).label("gain"))
        .select_from(joined)
        .where(chosen)
        .group_by(run.day)
    )


def _halting_figures(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished(
        "loop.guard_fired",
        "loop.stagnated",
        "loop.diminishing_returns",
        "phase.approved",
        "review.completed",
    )
    kind, text, day = EVENT.c.kind, window.json.text, window.finished.c.day
    repeats = sa.and_(kind == "loop.guard_fired", text("halt.guard").in_(STAGNATION_GUARDS))
    stuck = sa.or_(repeats, kind == "loop.stagnated")
    first = sa.and_(kind == "phase.approved", window.json.number("bounces") == 0)
    judged = sa.and_(kind == "review.completed", text("verdict.judgement") != "failed")
    return (
        sa.select(
            day,
            _runs_with(stuck).label("stuck"),
            _runs_with(kind == "loop.diminishing_returns").label("diminished"),
            _runs_with(first).label("approved_first"),
            _runs_with(sa.or_(judged, kind == "phase.approved")).label("reviewed"),
        )
        .select_from(joined)
        .where(chosen)
        .group_by(day)
    )


def _entries(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished("phase.entered")
    day, label = window.finished.c.day, window.json.text("phase").label("label")
    runs = sa.func.count(sa.distinct(EVENT.c.trace_id)).label("runs")
    return (
        sa.select(day, label, sa.func.count().label("entries"), runs)
        .select_from(joined)
        .where(chosen)
        .group_by(day, label)
    )


def _bounces(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished("loop.phase_bounce")
    following = sa.func.lead(EVENT.c.seq).over(partition_by=EVENT.c.trace_id, order_by=EVENT.c.seq)
    bounce = (
        sa.select(
            window.finished.c.day,
            EVENT.c.trace_id,
            EVENT.c.seq,
            window.json.text("source").label("source"),
            sa.func.coalesce(following, _LAST).label("until"),
        )
        .select_from(joined)
        .where(chosen)
        .cte("bounce")
        .c
    )
    later = EVENT.alias("later")
    body = Body(postgres=window.postgres, body=later.c.body)
    place = (later.c.trace_id == bounce.trace_id, later.c.seq > bounce.seq, later.c.seq < bounce.until)
    decided = later.c.kind == "halting.decided"
    passed = sa.and_(
        later.c.kind.in_(("phase.approved", "phase.passed")), body.text("phase") == bounce.source
    )
    halted = sa.and_(decided, body.text("decision.action") == "halt")
    judged = sa.exists().where(*place, decided)
    resolved = sa.and_(judged, sa.exists().where(*place, sa.or_(passed, halted)))
    each = sa.select(
        bounce.day,
        bounce.source.label("label"),
        sa.case((judged, 1), else_=0).label("judged"),
        sa.case((resolved, 1), else_=0).label("resolved"),
    ).subquery("judged_bounce")
    sums = (sa.func.sum(each.c[name]).label(name) for name in ("judged", "resolved"))
    columns = (each.c.day, each.c.label, sa.func.count().label("bounces"), *sums)
    return sa.select(*columns).group_by(each.c.day, each.c.label)


def _tools(window: Window) -> sa.Select[Any]:
    json, day = window.json, window.day().label("day")
    label, seconds = json.text("call.name").label("label"), json.number("call.duration_s")
    return (
        sa.select(
            day,
            label,
            sa.func.count(json.text("call.ok")).label("told"),
            _count(json.flag("call.ok")).label("ok"),
            sa.func.count(seconds).label("timed"),
            sa.func.sum(seconds).label("seconds"),
        )
        .where(window.within("tool.executed"))
        .group_by(day, label)
    )


def _tries(window: Window) -> sa.Select[Any]:
    json, kind, day = window.json, EVENT.c.kind, window.day().label("day")
    made, thought = kind.in_(("agent.finished", "candidate.made")), kind == "phase.completed"
    # An event reports what a candidate used when it is made; a second one reports the chosen one.
    once = sa.or_(kind != "agent.finished", sa.func.coalesce(json.number("candidate"), 0) == 0)
    label = sa.case((made, "making"), (thought, "thinking"), else_="review").label("label")
    broke = sa.case(
        (made, json.text("snapshot.attempt.breakage.kind").is_not(None)),
        (thought, json.text("breakage.kind").is_not(None)),
        else_=json.text("verdict.judgement") == "failed",
    )
    lost = sa.func.coalesce(json.number("lost"), 0)
    cost = sa.case(
        (made, json.number("snapshot.attempt.usage.cost_usd")), else_=json.number("usage.cost_usd")
    )
    return (
        sa.select(
            day,
            label,
            sa.func.sum(lost + 1).label("tries"),
            sa.func.sum(lost + sa.case((broke, 1), else_=0)).label("broken"),
            sa.func.count(cost).label("costed"),
            sa.func.sum(cost).label("cost"),
        )
        .where(window.within("agent.finished", "candidate.made", "phase.completed", "review.completed"), once)
        .group_by(day, label)
    )


def _measurements(window: Window) -> sa.Select[Any]:
    json, day = window.json, window.day().label("day")
    tested = json.text("evaluation.quality.test_count").is_not(None)
    flaky = sa.and_(tested, json.length("evaluation.flaky") > 0)
    return (
        sa.select(day, _count(tested).label("tested"), _count(flaky).label("flaky"))
        .where(window.within("baseline.measured", "iteration.evaluated"))
        .group_by(day)
    )


def _scores(window: Window) -> sa.Select[Any]:
    json, day = window.json, window.day().label("day")
    label, score = json.text("iteration").label("label"), json.number("evaluation.score")
    full = json.text("evaluation.stage").in_(("test", "confirm"))
    return (
        sa.select(day, label, sa.func.count(score).label("scored"), sa.func.sum(score).label("score"))
        .where(window.within("iteration.evaluated"), full)
        .group_by(day, label)
    )


def _integrity(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished("iteration.evaluated", "agent.finished")
    table, finding = window.json.elements("evaluation.findings")
    bad = sa.and_(finding.text("category") == "integrity", finding.text("severity").in_(_BLOCKING))
    violated = sa.exists(sa.select(1).select_from(table).where(bad).correlate(EVENT))
    length, day = window.json.length, window.finished.c.day
    restored = sa.or_(length("evaluation.restored") > 0, length("snapshot.restored") > 0)
    return (
        sa.select(
            day,
            _runs_with(violated).label("violated"),
            _runs_with(restored).label("restored"),
        )
        .select_from(joined)
        .where(chosen)
        .group_by(day)
    )


def _answers(window: Window) -> sa.Select[Any]:
    json = window.json
    asked = EVENT.alias("asked")
    question = Body(postgres=window.postgres, body=asked.c.body)
    # The keys of a question and of its answer, as `domain.gate` makes them.
    together = sa.and_(
        asked.c.trace_id == EVENT.c.trace_id,
        asked.c.kind == "gate.requested",
        EVENT.c.key == asked.c.key + ":answer",
    )
    by_person = json.text("answer.via") != Via.DEADLINE
    overrides = json.text("answer.choice").in_([str(choice) for choice in OVERRIDES])
    day, label = window.day().label("day"), question.text("gate.kind").label("label")
    seconds = window.seconds(asked.c.at, EVENT.c.at)
    figures: tuple[Column, ...] = (
        sa.func.count().label("questions"),
        _count(by_person).label("answers"),
        _count(sa.not_(by_person)).label("unanswered"),
        _count(sa.and_(by_person, overrides)).label("overrides"),
        sa.func.sum(sa.case((by_person, seconds))).label("seconds"),
    )
    return (
        sa.select(day, label, *figures)
        .select_from(sa.join(EVENT, asked, together))
        .where(window.within("gate.answered"))
        .group_by(day, label)
    )


def _reflections(window: Window) -> sa.Select[Any]:
    day, learnings = window.day().label("day"), window.json.length("learnings")
    return (
        sa.select(day, sa.func.sum(learnings).label("learnings"))
        .where(window.within("reflection.completed"))
        .group_by(day)
    )


def _recalls(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished("memory.recalled")
    day = window.finished.c.day
    recalled = _elements(window, "items", lambda item: item.flag("shown")) > 0
    return (
        sa.select(day, _runs_with(recalled).label("applied")).select_from(joined).where(chosen).group_by(day)
    )


def _uses(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished("memory.recalled")
    table, item = window.json.elements("items")
    run, learning = window.finished.c, item.text("learning").label("learning")
    shown = sa.func.max(sa.case((item.flag("shown"), 1), else_=0)).label("shown")
    # What a person ended, or no agent could do, says nothing about what was shown.
    tells = run.ending.not_in([str(ending) for ending in SAYS_NOTHING])
    each = (
        sa.select(run.day, run.ending, EVENT.c.trace_id, learning, shown)
        .select_from(joined.join(table, sa.true()))
        .where(chosen, tells)
        .group_by(run.day, run.ending, EVENT.c.trace_id, learning)
        .subquery("use")
    )
    verified = each.c.ending == "verified"
    figures: tuple[Column, ...] = (
        _count(each.c.shown == 1).label("shown"),
        _count(sa.and_(each.c.shown == 1, verified)).label("shown_verified"),
        _count(each.c.shown == 0).label("held"),
        _count(sa.and_(each.c.shown == 0, verified)).label("held_verified"),
    )
    return sa.select(each.c.day, *figures).group_by(each.c.day)


def _followed(window: Window) -> sa.Select[Any]:
    day = window.day().label("day")
    followed = _elements(window, "items", lambda item: item.flag("followed"))
    return (
        sa.select(
            day,
            sa.func.sum(followed).label("followed"),
            sa.func.sum(window.json.length("items")).label("judged"),
        )
        .where(window.within("memory.followed"))
        .group_by(day)
    )


def _elements(window: Window, path: str, condition: Callable[[Body], Column]) -> Column:
    """Count the elements of a list in an event for which a condition holds."""
    table, element = window.json.elements(path)
    query = sa.select(sa.func.count()).select_from(table).where(condition(element))
    return query.correlate(EVENT).scalar_subquery()


def _feedback(window: Window) -> sa.Select[Any]:
    kinds = ("feedback.finding_dismissed", "feedback.fix_applied", "feedback.fix_rewritten")
    day, label = window.day().label("day"), window.json.text("category").label("label")
    figures: tuple[Column, ...] = (
        sa.func.count().label("decided"),
        _count(EVENT.c.kind == "feedback.finding_dismissed").label("dismissed"),
        _count(EVENT.c.kind == "feedback.fix_applied").label("applied"),
    )
    return sa.select(day, label, *figures).where(window.within(*kinds)).group_by(day, label)


def _predictions(window: Window) -> sa.Select[Any]:
    joined, chosen = window.of_finished("halting.decided")
    run, stated = window.finished.c, window.json.number("decision.figures.p_verified")
    came = sa.case((run.ending == "verified", 1.0), else_=0.0)
    square = (stated - came) * (stated - came)
    label = window.json.text("decision.policy").label("label")
    return (
        sa.select(run.day, label, sa.func.count(stated).label("stated"), sa.func.sum(square).label("squares"))
        .select_from(joined)
        .where(chosen)
        .group_by(run.day, label)
    )


QUERIES: dict[str, Callable[[Window], sa.Select[Any]]] = {
    "outcomes": _outcomes,
    "endings": _endings,
    "gains": _gains,
    "marks": _halting_figures,
    "entries": _entries,
    "bounces": _bounces,
    "tools": _tools,
    "tries": _tries,
    "measurements": _measurements,
    "scores": _scores,
    "integrity": _integrity,
    "answers": _answers,
    "predictions": _predictions,
    "reflections": _reflections,
    "recalls": _recalls,
    "uses": _uses,
    "followed": _followed,
    "feedback": _feedback,
}
