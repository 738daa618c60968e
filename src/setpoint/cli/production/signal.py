"""`setpoint ci signal`: list production problems, their suspected changes, and decide on them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import UsageError

if TYPE_CHECKING:
    from setpoint.app.production.signals import ProductionRecord
    from setpoint.model.production import Hypothesis

app = typer.Typer(no_args_is_help=True, help="List problems in production and decide on them.")

MOST_FILE = 1024 * 1024
Which = Annotated[
    str, typer.Argument(help="A signal, the fingerprint of a problem, or its story; a prefix is enough.")
]
Reason = Annotated[str, typer.Option(help="Reason, for the record.")]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


def _book() -> ProductionRecord:
    from setpoint.app.production.signals import ProductionRecord
    from setpoint.wiring.project import open_project

    return ProductionRecord(open_project(Path.cwd()))


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """List problems with suspects and stories, most recent first."""
    from setpoint.app.views.production import production_view

    listed = production_view(_book())
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
        say("no signals yet; hint: see docs/how-to/production.md")


@app.command()
def show(which: Which, as_json: Json = False) -> None:
    """Show one problem: its newest signal, the deployment, and the suspected commits with reasons."""
    from setpoint.app.views.production import problem_view

    found = problem_view(_book(), which)
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
        say(f"decide: setpoint ci signal approve {found.fingerprint}")


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
        Path, typer.Argument(help="JSON file with one CloudEvent or a list (- reads standard input).")
    ],
    source: Annotated[
        str, typer.Option("--source", help="Plug-in that reads the file; default: CloudEvents.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Ingest signals from a file and process them."""
    from setpoint.app.production.signals import ingest_events, ingest_payload
    from setpoint.app.views.production import problem_view

    try:
        body = sys.stdin.buffer.read(MOST_FILE + 1) if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="name a file with a CloudEvent") from None
    if len(body) > MOST_FILE:
        raise UsageError(f"{path}: more than {MOST_FILE} bytes", hint="split it into several files")
    book = _book()
    taken = ingest_payload(book, source, body) if source else ingest_events(book, body)
    book.work()
    if as_json:
        typer.echo(json.dumps(taken._asdict(), indent=2))
        return
    say(f"{len(taken.new)} new, {taken.known} known already")
    for name in taken.new:
        found = problem_view(book, name)
        say(f"{name}: {found.title}: {found.stage}{f', story {found.story}' if found.story else ''}")
    if taken.refused:
        message = f"{taken.refused} signals were refused: too many within an hour"
        raise UsageError(message, hint="add them later, or raise production.signals_per_hour")


@app.command()
def approve(which: Which, reason: Reason = "") -> None:
    """Approve work on a problem; write a story if it has none."""
    from setpoint.app.production.signals import decide_problem

    story = decide_problem(_book(), which, approved=True, reason=reason)
    say(f"{story} is approved; hint: setpoint run {story}")


@app.command()
def dismiss(which: Which, reason: Reason = "") -> None:
    """Dismiss a problem; Setpoint writes no more stories about it."""
    from setpoint.app.production.signals import decide_problem

    story = decide_problem(_book(), which, approved=False, reason=reason)
    say(f"dismissed{f'; {story} moves to the backlog' if story else ''}")


@app.command()
def token() -> None:
    """Make a token that lets monitoring send signals to `setpoint serve`, and nothing else; print it once."""
    from setpoint.app.project.access_keys import make_key
    from setpoint.wiring.project import open_project

    say(make_key(open_project(Path.cwd()), "signal"))


@app.command()
def dsn(
    server: Annotated[str, typer.Option(help="Address of `setpoint serve`.")] = "http://127.0.0.1:7410",
    project: Annotated[int, typer.Option(min=0, help="Number of the application.")] = 1,
) -> None:
    """Make a DSN for the Sentry SDK of an application and print it once; its key can only report errors."""
    from setpoint.app.project.access_keys import KeyKind, make_key
    from setpoint.wiring.project import open_project

    key = make_key(open_project(Path.cwd()), "signal", KeyKind.INGEST)
    scheme, _, host = server.rstrip("/").rpartition("://")
    say(f"{scheme or 'http'}://{key}@{host}/{project}")
