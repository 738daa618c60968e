"""`setpoint answer`: answer the questions of waiting runs from any terminal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setpoint.cli.render.styles import say

if TYPE_CHECKING:
    from setpoint.app.people.gates import OpenGate

MOST = 10
"""Iterations that one answer may grant, as in `model.gate`; importing it here would slow `--help`."""

app = typer.Typer(help="List the open questions of runs and answer them.")

Run = Annotated[
    str,
    typer.Argument(metavar="RUN", help="Run id, start or end, or story id; default: the only waiting run."),
]
Go = Annotated[bool, typer.Option("--go", help="Continue the run in this process.")]
Reason = Annotated[str, typer.Option(help="Reason, for the record.")]
Edit = Annotated[
    Path | None,
    typer.Option(
        help="Your own change as a unified diff (- reads standard input); the run continues with it."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.callback(invoke_without_command=True)
def answer(
    called: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print the open questions as JSON.")] = False,
) -> None:
    """List the open questions of runs; the first answer to a question counts."""
    if called.invoked_subcommand:
        return
    from rich.table import Table

    from setpoint.app.people.gates import open_questions
    from setpoint.cli.render.console import Screen
    from setpoint.wiring.project import open_project

    every, unread = open_questions(open_project(Path.cwd()))
    for trace_id, fault in unread.items():
        say(f"{trace_id} asks a question that cannot be read: {fault}", err=True)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in every], indent=2))
        return
    if not every:
        say("no run waits for a person" if not unread else "no other run waits for a person")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("run", "asked", "until", "question", "story"):
        table.add_column(name, no_wrap=name == "run", overflow="fold")
    for each in every:
        gate = each.gate
        until = f"{gate.deadline.astimezone():%m-%d %H:%M} ({gate.default})" if gate.deadline else ""
        asked = f"{gate.asked_at.astimezone():%m-%d %H:%M}"
        table.add_row(each.trace_id, asked, until, gate.question, each.title)
    Screen(soft_wrap=True).print(table, markup=False)


@app.command()
def show(
    which: Run = "", as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False
) -> None:
    """Show the question of a run, its context, and the commands that answer it."""
    from setpoint.app.people.gates import open_gate
    from setpoint.cli.render.console import Screen
    from setpoint.cli.render.menu import show_gate
    from setpoint.wiring.project import open_project

    opened = open_gate(open_project(Path.cwd()), which)
    if as_json:
        typer.echo(json.dumps(opened.model_dump(mode="json"), indent=2))
        return
    show_gate(Screen(highlight=False, soft_wrap=True), opened)


@app.command("continue")
def continue_(
    number: Annotated[
        int, typer.Argument(metavar="N", min=0, max=MOST, help="Iterations to add to the limit.")
    ],
    which: Run = "",
    new_approach: Annotated[
        bool, typer.Option("--new-approach", help="Restart from the best state with a fresh context.")
    ] = False,
    instruct: Annotated[str, typer.Option(help="Instruction for the maker.")] = "",
    cost: Annotated[str, typer.Option(help="US dollars to add to the limit.")] = "",
    minutes: Annotated[float | None, typer.Option(help="Minutes to add to the limit.")] = None,
    reason: Reason = "",
    edit: Edit = None,
    go: Go = False,
    as_json: AsJson = False,
) -> int:
    """Continue the run with N more iterations; an exhausted budget is granted again."""
    more: dict[str, Any] = {
        "iterations": number,
        "cost_usd": _money(cost),
        "wall_s": _seconds(minutes),
        "new_approach": new_approach,
        "instruction": instruct,
        "reason": reason,
    }
    return _answered(which, "continue", more, go=go, as_json=as_json, edit=edit)


@app.command()
def retry(which: Run = "", reason: Reason = "", go: Go = False, as_json: AsJson = False) -> int:
    """Let the first agent try again, because what broke it is repaired."""
    return _answered(which, "retry", {"reason": reason}, go=go, as_json=as_json)


@app.command()
def accept(which: Run = "", reason: Reason = "", go: Go = False, as_json: AsJson = False) -> int:
    """Accept the best state: deliver it unverified, with its known issues recorded."""
    return _answered(which, "accept", {"reason": reason}, go=go, as_json=as_json)


@app.command()
def prove(
    command: Annotated[
        str, typer.Argument(help="A command that fails without the change and passes with it.")
    ],
    which: Run = "",
    reason: Reason = "",
    go: Go = False,
    as_json: AsJson = False,
) -> int:
    """Name an acceptance command that proves the work; Setpoint runs it at the base and on the result."""
    return _answered(which, "prove", {"reason": reason, "acceptance": command}, go=go, as_json=as_json)


@app.command()
def dismiss(
    which: Run = "",
    because: Annotated[str, typer.Option(help="Why the objection is wrong; reviewers read it.")] = "",
    go: Go = False,
    as_json: AsJson = False,
) -> int:
    """Say that the objection a reviewer stays with is wrong; the change is judged again without it."""
    return _answered(which, "dismiss", {"reason": because}, go=go, as_json=as_json)


@app.command()
def cancel(which: Run = "", reason: Reason = "", go: Go = False, as_json: AsJson = False) -> int:
    """Cancel the run; the best state is kept if it is safe."""
    return _answered(which, "cancel", {"reason": reason}, go=go, as_json=as_json)


@app.command()
def approve(
    which: Run = "",
    reason: Reason = "",
    instruct: Annotated[str, typer.Option(help="Instruction for the maker.")] = "",
    edit: Edit = None,
    go: Go = False,
    as_json: AsJson = False,
) -> int:
    """Approve what the run requests."""
    more = {"reason": reason, "instruction": instruct}
    return _answered(which, "approve", more, go=go, as_json=as_json, edit=edit)


@app.command()
def reject(which: Run = "", reason: Reason = "", go: Go = False, as_json: AsJson = False) -> int:
    """Reject what the run requests; it continues without."""
    return _answered(which, "reject", {"reason": reason}, go=go, as_json=as_json)


def _answered(
    which: str, choice: str, more: dict[str, Any], *, go: bool, as_json: bool, edit: Path | None = None
) -> int:
    from setpoint.app.people.edit_answer import answer_with_edit
    from setpoint.app.people.gates import AnswerRequest, answer_gate, open_gate
    from setpoint.cli.people.feedback import text_of
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.cli.render.live import follow
    from setpoint.model.gate import Choice
    from setpoint.wiring.project import open_project, recorded_order

    project = open_project(Path.cwd())
    opened = open_gate(project, which)
    wanted = AnswerRequest(Choice(choice), **more)
    confirm(project)
    if edit is None:
        given = answer_gate(project, opened, wanted)
    else:
        given = answer_with_edit(project, opened, wanted, text_of(edit))
    if go:
        return follow(project, recorded_order(project, opened.trace_id), as_json=as_json)
    if as_json:
        told = {"trace_id": opened.trace_id, "gate": opened.gate.id, "answer": given.model_dump(mode="json")}
        typer.echo(json.dumps(told, indent=2))
    else:
        _recorded(opened)
    return 0


def _recorded(opened: OpenGate) -> None:
    say(f"the answer to {opened.trace_id} is recorded; continue with:")
    say(f"  setpoint resume {opened.trace_id}")


def _money(text: str) -> Any:  # noqa: ANN401 - a Decimal, or none where nothing was given
    from decimal import Decimal, InvalidOperation

    from setpoint.model.gate import MOST_GRANTED_USD

    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal(-1)
    if not (amount.is_finite() and 0 <= amount <= MOST_GRANTED_USD):
        raise typer.BadParameter(
            f"--cost must be US dollars, for example 2.50, at most {MOST_GRANTED_USD} (got {text!r})"
        )
    return amount


def _seconds(minutes: float | None) -> float | None:
    """Return minutes as seconds; refuse infinity, NaN and more than a year."""
    from setpoint.model.gate import MOST_GRANTED_S

    if minutes is None:
        return None
    if not 0 <= minutes <= MOST_GRANTED_S / 60:
        raise typer.BadParameter(
            f"--minutes must be a number from 0 to {MOST_GRANTED_S // 60} (got {minutes})"
        )
    return minutes * 60
