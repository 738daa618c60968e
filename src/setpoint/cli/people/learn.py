"""`setpoint learn`: list, judge, share and measure learnings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say, written
from setpoint.errors import UsageError

if TYPE_CHECKING:
    from setpoint.model.learning import LearningState

app = typer.Typer(no_args_is_help=True, help="List, judge, share and measure learnings.")

Which = Annotated[str, typer.Argument(help="Learning id or prefix.")]
Reason = Annotated[str, typer.Option(help="Reason, stored with the verdict.")]
Json = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.command(name="list")
def list_(
    status: Annotated[str, typer.Option(help="Only learnings with this status, for example candidate.")] = "",
    source: Annotated[str, typer.Option(help="Only learnings from this source, for example run:ID.")] = "",
    alike: Annotated[bool, typer.Option("--alike", help="List pairs of similar learnings instead.")] = False,
    as_json: Json = False,
) -> None:
    """List learnings, highest confidence first."""
    from setpoint.app.people.deliveries import notice_deliveries
    from setpoint.app.people.learnings import list_learnings, similar_pairs
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    notice_deliveries(project)
    if alike:
        for one, other, likeness in similar_pairs(project):
            say(f"{one} and {other}: {likeness:.0%} similar; hint: setpoint learn merge {one} --into {other}")
        return
    found = [
        each
        for each in list_learnings(project)
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
        say("no learnings yet")


@app.command()
def show(which: Which, as_json: Json = False) -> None:
    """Show one learning with its evidence."""
    from setpoint.app.people.deliveries import notice_deliveries
    from setpoint.app.people.learnings import find_learning
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    notice_deliveries(project)
    found = find_learning(project, which)
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
    """Approve a learning; agents receive it from now on."""
    _verdict(which, "approved", reason)


@app.command()
def reject(which: Which, reason: Reason = "") -> None:
    """Reject a learning as wrong; it is not used and not learned again."""
    _verdict(which, "rejected", reason)


@app.command()
def retire(
    which: Annotated[str, typer.Argument(help="Learning id or prefix.")] = "",
    source: Annotated[str, typer.Option(help="All learnings from this source, for example run:ID.")] = "",
    reason: Reason = "",
) -> None:
    """Retire a learning, or all learnings from one source."""
    from setpoint.app.people.learnings import retire_learnings_from
    from setpoint.wiring.project import open_project

    if bool(which) == bool(source):
        raise UsageError("name a learning or a --source", hint="see `setpoint learn retire --help`")
    if which:
        _verdict(which, "retired", reason)
        return
    gone = retire_learnings_from(open_project(Path.cwd()), source, reason)
    for each in gone:
        say(f"{each.learning.id}: retired")


@app.command()
def merge(
    which: Which,
    into: Annotated[str, typer.Option(help="The learning that replaces it.")],
) -> None:
    """Replace a learning by another, which takes over its evidence."""
    from setpoint.app.people.learnings import merge_learnings
    from setpoint.wiring.project import open_project

    found = merge_learnings(open_project(Path.cwd()), which, into)
    say(f"{found.learning.id}: {found.status}, confidence {found.confidence.mean:.2f}")


@app.command()
def export(
    path: Annotated[str, typer.Argument(help="File to write; default: standard output.")] = "",
    candidates: Annotated[bool, typer.Option("--candidates", help="Include candidates.")] = False,
) -> None:
    """Export active learnings as a pack for other projects."""
    from setpoint.app.people.learnings import export_learnings
    from setpoint.wiring.project import open_project

    text = export_learnings(open_project(Path.cwd()), candidates=candidates)
    if path:
        Path(path).write_text(text, "utf-8")
        say(f"{path}: {text.count(chr(10)) - 1} learnings")
    else:
        written(text, nl=False)


@app.command(name="import")
def import_(
    path: Annotated[Path, typer.Argument(help="A pack written by `learn export`.")],
    trusted: Annotated[
        bool, typer.Option("--trusted", help="Use the learnings at once (packs of your own team).")
    ] = False,
) -> None:
    """Import a pack; without --trusted its learnings are candidates until a person approves them."""
    from setpoint.app.people.learnings import import_learnings
    from setpoint.wiring.project import open_project

    taught = import_learnings(open_project(Path.cwd()), path, trusted=trusted)
    say(f"{taught.new} new, {taught.known} known already")


@app.command()
def reindex() -> None:
    """Rebuild the search index of learnings."""
    from setpoint.app.people.learnings import list_learnings, reindex_learnings
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    reindex_learnings(project)
    say(f"{len(list_learnings(project))} learnings indexed")


def _verdict(which: str, kind: str, reason: str) -> None:
    from setpoint.app.people.learnings import judge_learning
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.model.learning import EvidenceKind
    from setpoint.wiring.project import open_project

    project = open_project(Path.cwd())
    confirm(project)
    found = judge_learning(project, which, EvidenceKind(kind), reason)
    say(f"{found.learning.id}: {found.status}, confidence {found.confidence.mean:.2f}")


def _shape(found: LearningState) -> dict[str, object]:
    belief = found.confidence
    return {**found.model_dump(mode="json"), "low": round(belief.low, 4), "high": round(belief.high, 4)}
