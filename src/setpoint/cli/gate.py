"""`setpoint gate`: questions to a person, answered from any terminal, also while nothing runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from setpoint.cli.styles import say

if TYPE_CHECKING:
    from setpoint import wiring

MOST = 10
"""Iterations that one answer may grant, as `domain.gate` says; importing it here would slow `--help`."""

app = typer.Typer(
    name="gate",
    no_args_is_help=True,
    help="See what a run asks a person, and answer: the first answer counts, wherever it comes from.",
)

Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN", help="The run, or the beginning of its name; else the only one that waits."
    ),
]
Go = Annotated[bool, typer.Option("--go", help="Go on with the run in this process.")]
Reason = Annotated[str, typer.Option(help="Why, for the record.")]
Edit = Annotated[
    Path | None,
    typer.Option(
        help="Your own change to the work as a unified diff; - reads standard input. The run goes on from it."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


@app.command("list")
def list_(
    as_json: Annotated[bool, typer.Option("--json", help="Print the questions as JSON.")] = False,
) -> None:
    """List every question that is open."""
    from rich.table import Table

    from setpoint import wiring
    from setpoint.cli.screen import Screen

    every, unread = wiring.questions(wiring.open_project(Path.cwd()))
    for trace_id, fault in unread.items():
        say(f"{trace_id} waits, and its question cannot be read: {fault}", err=True)
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
    """Show what a run asks, what is known, and the commands that answer."""
    from setpoint import wiring
    from setpoint.cli.menu import show_gate
    from setpoint.cli.screen import Screen

    opened = wiring.open_gate(wiring.open_project(Path.cwd()), which)
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
        bool, typer.Option("--new-approach", help="From the best state, with a fresh context.")
    ] = False,
    instruct: Annotated[str, typer.Option(help="What the maker is told, as a person's word.")] = "",
    cost: Annotated[str, typer.Option(help="US dollars to add to the limit.")] = "",
    minutes: Annotated[float | None, typer.Option(help="Minutes to add to the limit.")] = None,
    reason: Reason = "",
    edit: Edit = None,
    go: Go = False,
    as_json: AsJson = False,
) -> int:
    """Let the run go on with N more iterations; a budget that was the reason is granted once more."""
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
def accept(which: Run = "", reason: Reason = "", go: Go = False, as_json: AsJson = False) -> int:
    """Take the best state as it is: delivered, not verified, its known issues written down."""
    return _answered(which, "accept", {"reason": reason}, go=go, as_json=as_json)


@app.command()
def cancel(which: Run = "", reason: Reason = "", go: Go = False, as_json: AsJson = False) -> int:
    """End the run; the best state is kept if it is harmless."""
    return _answered(which, "cancel", {"reason": reason}, go=go, as_json=as_json)


@app.command()
def approve(
    which: Run = "",
    reason: Reason = "",
    instruct: Annotated[str, typer.Option(help="What is to be heeded, as a person's word.")] = "",
    edit: Edit = None,
    go: Go = False,
    as_json: AsJson = False,
) -> int:
    """Grant what the run asks leave for."""
    more = {"reason": reason, "instruction": instruct}
    return _answered(which, "approve", more, go=go, as_json=as_json, edit=edit)


@app.command()
def reject(which: Run = "", reason: Reason = "", go: Go = False, as_json: AsJson = False) -> int:
    """Refuse what the run asks leave for; it goes on without."""
    return _answered(which, "reject", {"reason": reason}, go=go, as_json=as_json)


def _answered(
    which: str, choice: str, more: dict[str, Any], *, go: bool, as_json: bool, edit: Path | None = None
) -> int:
    from setpoint import wiring
    from setpoint.cli.feedback import text_of
    from setpoint.cli.live import follow
    from setpoint.domain.gate import Choice

    project = wiring.open_project(Path.cwd())
    opened = wiring.open_gate(project, which)
    wanted = wiring.Wanted(Choice(choice), **more)
    if edit is None:
        given = wiring.answer(project, opened, wanted)
    else:
        given = wiring.answer_with_edit(project, opened, wanted, text_of(edit))
    if go:
        return follow(project, wiring.recorded_order(project, opened.trace_id), as_json=as_json)
    if as_json:
        told = {"trace_id": opened.trace_id, "gate": opened.gate.id, "answer": given.model_dump(mode="json")}
        typer.echo(json.dumps(told, indent=2))
    else:
        _recorded(opened)
    return 0


def _recorded(opened: wiring.OpenGate) -> None:
    say(f"the answer to {opened.trace_id} is recorded; it goes on with:")
    say(f"  setpoint resume {opened.trace_id}")


def _money(text: str) -> Any:  # noqa: ANN401 - a Decimal, or none where nothing was given
    from decimal import Decimal, InvalidOperation

    from setpoint.domain.gate import MOST_GRANTED_USD

    if not text:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal(-1)
    if not (amount.is_finite() and 0 <= amount <= MOST_GRANTED_USD):
        raise typer.BadParameter(
            f"--cost is an amount in US dollars, for example 2.50, at most {MOST_GRANTED_USD} (got {text!r})"
        )
    return amount


def _seconds(minutes: float | None) -> float | None:
    """Give minutes as seconds; infinity and what is no number are none, and neither is more than a year."""
    from setpoint.domain.gate import MOST_GRANTED_S

    if minutes is None:
        return None
    if not 0 <= minutes <= MOST_GRANTED_S / 60:
        raise typer.BadParameter(f"--minutes is a number from 0 to {MOST_GRANTED_S // 60} (got {minutes})")
    return minutes * 60
