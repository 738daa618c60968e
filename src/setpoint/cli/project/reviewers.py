"""`setpoint admin reviewers`: how often each reviewer was right, and how one does on recorded runs."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.app.runs.reviewer_eval import EvalCourse, EvalPlan, ReplayedReview, ReviewedTree
    from setpoint.app.views.reviewers import EvalRecord, ReviewerRecord

app = typer.Typer(help="Show how often each reviewer was right, and replay one on recorded runs.")

AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
_COLUMNS = ("reviewer", "made by", "reviews", "missing", "unreadable", "right", "cost")


@app.callback(invoke_without_command=True)
def reviewers(
    called: typer.Context,
    runs: Annotated[int, typer.Option(help="Number of the newest runs to count.", min=1)] = 200,
    as_json: AsJson = False,
) -> None:
    """Show what became of the blocking findings of each agent, version, model and prompt that reviewed."""
    if called.invoked_subcommand:
        return
    from rich.table import Table

    from setpoint.app.views.reviewers import records_of
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    records = records_of(project, runs)
    if as_json:
        shown = [{**each.model_dump(mode="json"), "share": each.share} for each in records]
        typer.echo(json.dumps(shown, indent=2))
        return
    console = Screen(soft_wrap=True)
    if not records:
        console.print("no review yet", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for name in _COLUMNS:
        table.add_column(name, overflow="fold")
    for each in records:
        table.add_row(*_cells(each))
    console.print(table)
    for each in records:
        if each.advised:
            console.print(
                f"{each.reviewer}: {each.advised} requests for changes counted as advice", markup=False
            )


@app.command(name="eval")
def evaluate(
    name: Annotated[str, typer.Argument(help="Reviewer: KIND:AGENT, or an agent for reviews of code.")] = "",
    runs: Annotated[int, typer.Option(help="Number of the newest runs to replay.", min=1)] = 20,
    agent: Annotated[str, typer.Option(help="Agent that answers in place of the one in NAME.")] = "",
    model: Annotated[str, typer.Option(help="Model that the agent works with.")] = "",
    max_cost: Annotated[float, typer.Option(help="Cost limit in US dollars; 0 for none.", min=0)] = 5.0,
    max_minutes: Annotated[float, typer.Option(help="Time limit in minutes.", min=0)] = 30.0,
    every: Annotated[bool, typer.Option("--all", help="Also trees of which nothing is known.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Also trees that it has judged already.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show recorded evals and ask nobody.")] = False,
    as_json: AsJson = False,
) -> int:
    """Let a reviewer judge trees of recorded runs once more, and compare with what happened afterwards.

    This calls the agent's model. Each answer is recorded at once: an interrupted eval continues where
    it ended. Recorded runs stay as they are.
    """
    from setpoint.wiring.project import open_project
    from setpoint.wiring.reviewing import evals_of

    if listed:
        _show(evals_of(open_project(Path.cwd())), as_json=as_json)
        return 0
    if not name:
        raise typer.BadParameter("name a reviewer, for example code:claude, or use --list", param_hint="NAME")
    from setpoint.app.runs.reviewer_eval import EvalLimits, plan_eval, run_eval

    named = agent or name.rpartition(":")[2]
    flags = {"agent": {named: {"model": model}}} if model else {}
    project = open_project(Path.cwd(), flags)
    plan = plan_eval(project, name, agent, runs, every=every)
    limits = EvalLimits(cost_usd=Decimal(str(max_cost)), wall_s=max_minutes * 60, again=again)
    if not as_json:
        say(_intent(plan))
    course, interrupted = run_eval(project, plan, limits, (lambda *_: None) if as_json else _answer)
    if course.record or as_json:
        _show((course.record,) if course.record else (), as_json=as_json)
    if not as_json:
        _close(plan, course, interrupted=interrupted)
    from setpoint.errors import ExitCode

    return ExitCode.INTERRUPTED if interrupted else 0


def _cells(each: ReviewerRecord) -> tuple[str, ...]:
    from setpoint.app.views.reviewers import made_by, share_of

    return (
        each.reviewer,
        made_by(each.version, each.model, each.prompt) or "-",
        str(each.reviews),
        str(each.missing),
        str(each.unreadable),
        share_of(each.acted_on + each.upheld, each.decided),
        "not told" if each.cost_usd is None else f"${each.cost_usd:.2f}",
    )


def _intent(plan: EvalPlan) -> str:
    text = f"{plan.kind}:{plan.agent} judges {len(plan.trees)} trees of {plan.runs} finished runs"
    return f"{text}; {plan.unknown} more show nothing of whether they were right" if plan.unknown else text


def _answer(tree: ReviewedTree, replay: ReplayedReview) -> None:
    said = replay.judgement or "no answer that could be read"
    known = f"{tree.truth}: {tree.why}" if tree.why else str(tree.truth)
    took = f"{replay.duration_s:.1f} s"
    say(f"  {tree.trace_id} iteration {tree.iteration}: {said}, {took}; the tree is {known}")


def _show(records: tuple[EvalRecord, ...], *, as_json: bool) -> None:
    from setpoint.app.views.reviewers import eval_lines

    if as_json:
        shown = [
            {**each.model_dump(mode="json"), "agreement": each.agreement, "precision": each.precision}
            for each in records
        ]
        typer.echo(json.dumps(shown, indent=2))
        return
    for each in records:
        say("\n".join(eval_lines(each)))
    if not records:
        say("no eval is recorded")


def _close(plan: EvalPlan, course: EvalCourse, *, interrupted: bool) -> None:
    """Say what was left out, and how to continue."""
    if not plan.trees:
        say("nothing to judge: nothing shows whether a reviewed tree was right or wrong; --all takes all")
    for key, why in course.skipped.items():
        say(f"  not replayed: {key.trace_id} iteration {key.iteration}: {why}")
    if course.known:
        say(f"{course.known} trees had an answer of this reviewer already; --again asks once more")
    if not course.cost_known:
        say("the cost of its answers is not known, so --max-cost could not be kept")
    if interrupted or course.ended:
        why = course.ended or "it was interrupted"
        say(f"ended early: {why}; hint: the same command continues after {course.answered} answers")
