"""`setpoint learn`: what runs and people taught, how far it is believed, and what it is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.styles import say, written
from setpoint.errors import UsageError

if TYPE_CHECKING:
    from setpoint.domain.learning import Standing

app = typer.Typer(no_args_is_help=True, help="Look at what was learnt, and say what you think of it.")

Which = Annotated[str, typer.Argument(help="The learning's id, or its beginning.")]
Reason = Annotated[str, typer.Option(help="Why; kept with the verdict.")]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command(name="list")
def list_(
    status: Annotated[str, typer.Option(help="Only those of this status, for example candidate.")] = "",
    source: Annotated[str, typer.Option(help="Only those from this source, for example run:ID.")] = "",
    alike: Annotated[bool, typer.Option("--alike", help="Name pairs that may be one.")] = False,
    as_json: Json = False,
) -> None:
    """List what was learnt, the most believed first."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    wiring.notice_deliveries(project)
    if alike:
        for one, other, likeness in wiring.learnings_alike(project):
            say(f"{one} and {other}: {likeness:.0%} the same; setpoint learn merge {one} --into {other}")
        return
    found = [
        each
        for each in wiring.learnings(project)
        if status in ("", each.status) and source in ("", each.learning.source)
    ]
    if as_json:
        typer.echo(json.dumps([_shape(each) for each in found], indent=1))
        return
    for each in found:
        belief, known = each.confidence, each.learning
        flag = " (!)" if known.alarms else ""
        say(
            f"{known.id}  {belief.mean:.2f} [{belief.low:.2f}-{belief.high:.2f}]  {each.status}  {known.kind}"
        )
        say(f"    {known.title}{flag}")
    if not found:
        say("nothing was learnt yet")


@app.command()
def show(which: Which, as_json: Json = False) -> None:
    """Show one learning with all that speaks for and against it."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    wiring.notice_deliveries(project)
    found = wiring.learning(project, which)
    if as_json:
        typer.echo(json.dumps(_shape(found), indent=1))
        return
    known, belief = found.learning, found.confidence
    say(f"{known.id}: {known.title}\n")
    if known.body:
        say(f"{known.body}\n")
    say(f"{found.status}, {known.kind}, {known.trust}, from {known.source} by {known.by}")
    say(
        f"confidence {belief.mean:.2f} (between {belief.low:.2f} and {belief.high:.2f}), "
        f"at first {known.believed:.2f}; for {belief.speaks_for:.2f}, against {belief.against:.2f}"
    )
    for label, values in (
        ("relevant for", [known.context]),
        ("tags", known.tags),
        ("rests on", known.cites),
        ("recorded as", known.events),
        ("suspicious", known.alarms),
        ("superseded by", [found.superseded_by or ""]),
    ):
        if text := ", ".join(value for value in values if value):
            say(f"{label}: {text}")
    say("evidence:" if found.evidence else "no evidence yet")
    for each in found.evidence:
        why = f": {each.note}" if each.note else ""
        run = f" in {each.trace_id}" if each.trace_id else ""
        say(f"  {each.at:%Y-%m-%d %H:%M} {each.weight:+.2f} {each.kind} by {each.by}{run}{why}")


@app.command()
def approve(which: Which, reason: Reason = "") -> None:
    """Believe a learning: it is shown to agents from now on."""
    _verdict(which, "approved", reason)


@app.command()
def reject(which: Which, reason: Reason = "") -> None:
    """Say that a learning is wrong: it is out of use, and not learnt anew."""
    _verdict(which, "rejected", reason)


@app.command()
def retire(
    which: Annotated[str, typer.Argument(help="The learning's id, or its beginning.")] = "",
    source: Annotated[str, typer.Option(help="All that come from this source, for example run:ID.")] = "",
    reason: Reason = "",
) -> None:
    """Take a learning, or all from one source, out of use."""
    from setpoint import wiring

    if bool(which) == bool(source):
        raise UsageError("name a learning or a --source", mend="see `setpoint learn retire --help`")
    if which:
        _verdict(which, "retired", reason)
        return
    gone = wiring.retire_from(wiring.open_project(Path.cwd()), source, reason)
    for each in gone:
        say(f"{each.learning.id}: retired")


@app.command()
def merge(
    which: Which,
    into: Annotated[str, typer.Option(help="The learning that takes its place.")],
) -> None:
    """Let one learning take the place of another, with what speaks for and against it."""
    from setpoint import wiring

    found = wiring.merge_learnings(wiring.open_project(Path.cwd()), which, into)
    say(f"{found.learning.id}: {found.status}, confidence {found.confidence.mean:.2f}")


@app.command()
def export(
    path: Annotated[str, typer.Argument(help="File to write; none: standard output.")] = "",
    candidates: Annotated[bool, typer.Option("--candidates", help="Candidates too.")] = False,
) -> None:
    """Write what is believed here as a pack for other projects."""
    from setpoint import wiring

    text = wiring.export_learnings(wiring.open_project(Path.cwd()), candidates=candidates)
    if path:
        Path(path).write_text(text, "utf-8")
        say(f"{path}: {text.count(chr(10)) - 1} learnings")
    else:
        written(text, nl=False)


@app.command(name="import")
def import_(
    path: Annotated[Path, typer.Argument(help="A pack that `learn export` wrote.")],
    trusted: Annotated[
        bool, typer.Option("--trusted", help="Your team's pack: no person need approve each.")
    ] = False,
) -> None:
    """Take a pack in; what it holds stays a candidate until a person approves it."""
    from setpoint import wiring

    taught = wiring.import_learnings(wiring.open_project(Path.cwd()), path, trusted=trusted)
    say(f"{taught.new} new, {taught.known} known already")


@app.command()
def uplift(as_json: Json = False) -> None:
    """Measure what being shown learnings is worth: runs with against runs held back by chance."""
    from setpoint import wiring

    found = wiring.uplift(wiring.open_project(Path.cwd()))
    if as_json:
        rows = [{**each.model_dump(mode="json"), "said": each.said} for each in found]
        typer.echo(json.dumps(rows, indent=1))
        return
    for each in found:
        interval = "" if each.low is None else f" {each.difference:+.3f} [{each.low:+.3f}, {each.high:+.3f}]"
        say(f"{each.group:10} {each.figure:10}{interval} {each.said}")


@app.command()
def reindex() -> None:
    """Make anew by what learnings are found: their words, and with the extra `semantic` their meaning."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    made = wiring.reindex(project)
    say(f"{len(wiring.learnings(project))} learnings can be found; {made} vectors were made")


def _verdict(which: str, kind: str, reason: str) -> None:
    from setpoint import wiring
    from setpoint.domain.learning import EvidenceKind

    found = wiring.weigh_learning(wiring.open_project(Path.cwd()), which, EvidenceKind(kind), reason)
    say(f"{found.learning.id}: {found.status}, confidence {found.confidence.mean:.2f}")


def _shape(found: Standing) -> dict[str, object]:
    belief = found.confidence
    return {**found.model_dump(mode="json"), "low": round(belief.low, 4), "high": round(belief.high, 4)}
