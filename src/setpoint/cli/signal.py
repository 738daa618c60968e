"""`setpoint signal`: what monitoring saw in production, which change is suspected, what is done about it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.styles import say
from setpoint.errors import UsageError

if TYPE_CHECKING:
    from setpoint import wiring
    from setpoint.domain.production import Hypothesis

app = typer.Typer(
    no_args_is_help=True, help="See what production signals, and say what is to be done about it."
)

MOST_FILE = 1024 * 1024
Which = Annotated[
    str, typer.Argument(help="A signal, a problem's fingerprint or its story; the beginning is enough.")
]
Reason = Annotated[str, typer.Option(help="Why, for the record.")]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


def _book() -> wiring.SignalBook:
    from setpoint import wiring

    return wiring.SignalBook(wiring.open_project(Path.cwd()))


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """List the problems that signals tell of, the one seen last first, with suspects and stories."""
    from setpoint import wiring

    listed = wiring.production_view(_book())
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in listed.problems], indent=2))
        return
    for each in listed.problems:
        over = ", over" if each.over else ""
        say(f"{each.fingerprint}  {each.severity}  {each.stage}  {each.times}x{over}  {each.title}")
        if each.newest.hypothesis is not None and each.newest.hypothesis.suspects:
            first = each.newest.hypothesis.suspects[0]
            say(f"    suspected: {first.score:.2f} {first.commit[:10]} {first.title}")
        told = f"{each.story} ({each.story_status or 'gone'})" if each.story else "none"
        say(f"    story: {told}; {each.reason}")
    if not listed.problems:
        say("no signal yet; docs/how-to/production.md says how they come in")


@app.command()
def show(which: Which, as_json: Json = False) -> None:
    """Show one problem: its newest signal, what was deployed, and every suspected commit with the reasons."""
    from setpoint import wiring

    found = wiring.problem_view(_book(), which)
    if as_json:
        typer.echo(json.dumps(found.model_dump(mode="json"), indent=2))
        return
    seen = found.newest.signal
    say(f"{found.fingerprint}: {found.title}")
    say(f"{found.severity}, {found.times}x between {found.first_at:%Y-%m-%d %H:%M}Z and ", nl=False)
    say(f"{found.last_at:%Y-%m-%d %H:%M}Z{', over' if found.over else ''}; {found.stage}: {found.reason}")
    say(f"signals: {', '.join(found.signals)}")
    for label, value in (("from", seen.source), ("release", seen.release), ("shown at", seen.url)):
        if value:
            say(f"{label}: {value}")
    for line in seen.body.splitlines():
        say(f"  {line}")
    for place, frame in enumerate(seen.frames, 1):
        say(f"  frame {place}: {frame.shown}")
    if found.newest.hypothesis is not None:
        _suspects(found.newest.hypothesis)
    if found.story:
        say(f"story: {found.story} ({found.story_status or 'its file is gone'})")
    if found.decidable:
        say(f"decide: setpoint signal approve {found.fingerprint}")


def _suspects(made: Hypothesis) -> None:
    if made.deployment is not None:
        before = f", after {made.previous.shown}" if made.previous else ""
        say(f"deployed: {made.deployment.shown} to {made.deployment.environment}{before}: {made.how}")
    for each in made.suspects:
        say(f"suspected: {each.score:.2f} {each.commit[:10]} {each.title}")
        for reason in each.reasons:
            say(f"    {reason}")
    for note in made.notes:
        say(f"note: {note}")


@app.command()
def add(
    path: Annotated[
        Path, typer.Argument(help="A file with one CloudEvent in JSON or a list; - reads standard input.")
    ],
    as_json: Json = False,
) -> None:
    """Take signals in from a file, and make of them what is to be made."""
    from setpoint import wiring

    try:
        body = sys.stdin.buffer.read(MOST_FILE + 1) if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", mend="name a file with a CloudEvent") from None
    if len(body) > MOST_FILE:
        raise UsageError(f"{path}: more than {MOST_FILE} bytes", mend="split it into several files")
    book = _book()
    taken = wiring.take_events(book, body)
    book.work()
    if as_json:
        typer.echo(json.dumps(taken._asdict(), indent=2))
        return
    say(f"{len(taken.new)} new, {taken.known} known already")
    for name in taken.new:
        found = wiring.problem_view(book, name)
        say(f"{name}: {found.title}: {found.stage}{f', story {found.story}' if found.story else ''}")
    if taken.refused:
        message = f"{taken.refused} signals are left out: too many within an hour"
        raise UsageError(message, mend="add them later, or raise production.signals_per_hour")


@app.command()
def approve(which: Which, reason: Reason = "") -> None:
    """Let the story of a problem be worked on; one that has none gets one."""
    from setpoint import wiring

    story = wiring.decide_problem(_book(), which, approved=True, reason=reason)
    say(f"{story} may be worked on; begin with: setpoint run {story}")


@app.command()
def dismiss(which: Which, reason: Reason = "") -> None:
    """Say that a problem is none: no more stories are written about it."""
    from setpoint import wiring

    story = wiring.decide_problem(_book(), which, approved=False, reason=reason)
    say(f"dismissed{f'; {story} is put aside' if story else ''}")


@app.command()
def token() -> None:
    """Print the token with which monitoring sends signals to `setpoint serve`; it opens nothing else."""
    from setpoint import wiring

    say(wiring.visitor_tokens(wiring.open_project(Path.cwd()), ("signal",))["signal"])
