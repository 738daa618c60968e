"""What came of a run, in a dozen lines: the verdict, what it rests on, and the next commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from setpoint.app.people.gates import open_gate, open_gates
from setpoint.app.runs.standing import best_line, standing_lines, unjudged_lines
from setpoint.app.views.export import kept_report
from setpoint.app.views.goal_lines import missed_first
from setpoint.history.iteration_rows import iteration_rows as iteration_rows  # noqa: PLC0414 - for the verbs
from setpoint.history.iterations import Lap, laps
from setpoint.history.queries import RunState, RunSummary
from setpoint.history.replay import History, history
from setpoint.model.ending import EXAMINED, Ending
from setpoint.model.evidence import CheckState
from setpoint.model.proof import WITNESS, ObligationState
from setpoint.model.run import RunOutcome
from setpoint.model.suppression import suppressed_in_words
from setpoint.model.wording import counted, lasted, shortened
from setpoint.wiring.project import Project, find_run

_WEAK = (
    "proof.least asks for another exam; hint: give a command (--accept) or a hidden test (--hidden), or "
    "name a test designer or a reviewer with a model of its own (agents.test_designer, agents.reviewer)"
)
_MOST_LINES = 3
_MOST_REASON = 160
_SENT_BACK = {0: "never sent back", 1: "sent back once"}


Row = tuple[str, str]
"""A line with its label; one without either separates parts."""


def closing_rows(project: Project, run: RunSummary) -> tuple[str, Iterator[Row]]:
    """Return time and cost of a run, and what came of it, or what it is doing."""
    events = project.log.replay(run.trace_id)
    told = history(events)
    return f"{lasted(told.active_s)} · {run.cost}", _rows(project, run, told, laps(events))


def _rows(project: Project, run: RunSummary, told: History, every: Sequence[Lap]) -> Iterator[Row]:
    yield "", ""
    if told.outcome is not None:
        yield from _ended(project, run, told.outcome, told, every)
    elif run.waits:
        opened = open_gate(project, run.trace_id)
        yield "asks", f"{opened.asker}: {opened.gate.question}" if opened.asker else opened.gate.question
        yield from (("missing", each) for each in opened.missing[:_MOST_LINES])
        yield "best", best_line(told)
        yield "", ""
        name = f" {run.trace_id}" if len(open_gates(project)) > 1 else ""
        yield "details", f"setpoint answer show{name}"
        yield from (("answer", command) for command in opened.commands.values())
    elif run.state is RunState.RUNNING:
        yield "now", f"{run.phase} #{run.iteration} of {run.most_iterations}"
        yield from _measured(run, told, every)
        yield "watch", f"setpoint watch{_name(project, run)}"
    else:
        yield from [("broke", run.reason)] * bool(run.reason)
        for line in standing_lines(project, run.trace_id):
            label, _, text = line.partition(":")
            yield label, text.strip()


def _name(project: Project, run: RunSummary) -> str:
    """Return the name of a run as the last word of a command; empty for the newest, which needs none."""
    return "" if find_run(project).trace_id == run.trace_id else f" {run.trace_id}"


def _ended(
    project: Project, run: RunSummary, outcome: RunOutcome, told: History, every: Sequence[Lap]
) -> Iterator[Row]:
    proof = every[-1].proof if every else None
    if outcome.ending is Ending.UNPROVEN and proof is not None:
        for each in proof.missing[:_MOST_LINES]:
            yield "missing", f"{each.name}: {shortened(each.reason, _MOST_REASON)}"
    yield "verdict", outcome.line
    if outcome.ending in EXAMINED and not outcome.enough:
        yield "missing", _WEAK
    yield from _measured(run, told, every)
    yield from (() if outcome.branch else _failing(every))
    yield from (("goal", goal) for goal in missed_first(outcome.goals))
    known = outcome.known_issues
    yield from (("known", issue) for issue in known[:_MOST_LINES])
    if len(known) > _MOST_LINES:
        yield "known", f"{len(known) - _MOST_LINES} more; the report lists them"
    if outcome.branch:
        yield "branch", outcome.branch
    elif outcome.ending not in (Ending.MET, Ending.UNPROVABLE):
        yield "branch", f"none: no {'judged ' * bool(outcome.unjudged)}state was better than the base"
    if told.fixes:
        yield "fixes", told.fixes_in_words
    yield "", ""
    if outcome.halt is not None and outcome.halt.go_on:
        yield "next", outcome.halt.go_on
    for line in unjudged_lines(project, told.order, outcome.unjudged):
        label, _, text = line.partition(":")
        yield label, text.strip()
    yield from _commands(project, run, outcome, told)


def _commands(project: Project, run: RunSummary, outcome: RunOutcome, told: History) -> Iterator[Row]:
    """Yield what a person can do with a run that is over, and where to read the rest of it."""
    if branch := told.fixes[-1].branch if told.fixes else outcome.branch:
        yield "review", f"git diff {told.order.base[:10]}...{branch}"
        yield "merge", f"git merge {branch}"
    if outcome.branch:
        yield "recheck", f"setpoint verify{_name(project, run)}"
    if outcome.ending is Ending.CANCELLED:
        story, begin = told.order.story, f" --base {outcome.branch}" if outcome.branch else ""
        goal = shlex.quote(story.id if told.order.story_file else story.title)
        yield "again", f"setpoint run{begin} {goal}"
    if not outcome.branch:
        yield "details", f"setpoint show{_name(project, run)}"
    gone = f"none: the record of the run was removed from {project.state} while it worked"
    yield "report", str(kept_report(project, run.trace_id) or gone)


def _failing(every: Sequence[Lap]) -> Iterator[Row]:
    """Yield tests that fail in the newest iteration."""
    for each in every[-1].failures[:_MOST_LINES] if every else ():
        yield "failing", shortened(f"{each.test}: {each.message}", _MOST_REASON)


def _measured(run: RunSummary, told: History, every: Sequence[Lap]) -> Iterator[Row]:
    """Yield what was measured of the newest state: tests, proof and change."""
    proof, latest = (every[-1].proof, every[-1].latest) if every else (None, None)
    met = [each for each in proof.obligations if each.state is ObligationState.MET] if proof else []
    red = len(told.base.failures) if told.base else 0
    if run.tests:
        before = f" ({red} failed at the base)" if red else ""
        shown = [f"; witness: {each.reason.partition(': ')[0]}" for each in met if each.name == WITNESS]
        yield "tests", f"{run.tests}{before}{shortened(''.join(shown), _MOST_REASON)}"
    if proof is not None:
        parts = [f"met: {', '.join(each.name for each in met) or 'nothing'}"]
        parts += [f"not met: {', '.join(each.name for each in proof.missing)}"] if proof.missing else []
        seen = latest.evidence if latest else ()
        unknown = [each.check for each in seen if each.state is CheckState.NOT_MEASURED]
        yield "proof", "; ".join(parts + [f"not measured: {', '.join(unknown)}"] * bool(unknown))
    if every and (held := suppressed_in_words(every[-1].findings)):
        yield "findings", f"{held}; why: setpoint finding suppressed"
    if every:
        back = _SENT_BACK.get(len(told.bounces), f"sent back {len(told.bounces)} times")
        yield "change", f"{run.change or 'none'}; {counted(len(every), 'iteration')}, {back}"
