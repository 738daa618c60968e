"""`setpoint admin quarantine`: list and change the flaky tests whose failures are ignored for a time."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from setpoint.cli.render.styles import say
from setpoint.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from setpoint.model.flaky import FlakyTest, Quarantined


def quarantine(
    action: Annotated[str, typer.Argument(help="list, add or remove.")] = "list",
    test: Annotated[str, typer.Argument(help="Test id of pytest; a file or class means all its tests.")] = "",
    days: Annotated[
        int | None,
        typer.Option(min=1, max=365, help="Days in quarantine; default: failures.quarantine_days."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Reason; shown with each ignored failure.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> int:
    """List, add or remove tests whose failures are reported but do not count for some days."""
    from datetime import UTC

    from setpoint.app.checks.quarantine import flaky_tests, quarantine_entries, quarantine_test, release_test
    from setpoint.cli.render.hidden_input import confirm
    from setpoint.wiring.project import open_project

    if action not in ("list", "add", "remove"):
        raise UsageError(f"there is no action '{action}'", hint="give list, add or remove")
    if (action == "list") != (not test):
        raise UsageError(f"`{action}` {'takes no test' if test else 'needs a test'}", hint="see --help")
    project, now = open_project(Path.cwd()), datetime.now(UTC)
    if action == "add":
        confirm(project)
        entry = quarantine_test(project, test, days=days, reason=reason, now=now)
        say(f"{entry.test}: its failures do not count until {entry.until:%Y-%m-%d %H:%M} UTC")
    elif action == "remove":
        release_test(project, test, now)
        say(f"{test}: its failures count again")
    else:
        _show(quarantine_entries(project), flaky_tests(project, now), now, as_json=as_json)
    return ExitCode.OK


def _show(
    entries: tuple[Quarantined, ...], flaky: tuple[FlakyTest, ...], now: datetime, *, as_json: bool
) -> None:
    if as_json:
        import json

        held = [{**each.model_dump(mode="json"), "active": each.active(now)} for each in entries]
        seen = [each.model_dump(mode="json") for each in flaky]
        typer.echo(json.dumps({"quarantine": held, "flaky": seen}, indent=2))
        return
    for each in entries:
        state = "until" if each.active(now) else "counts again since"
        why = f": {each.reason}" if each.reason else ""
        say(f"{each.test}  {state} {each.until:%Y-%m-%d}  by {each.by}{why}")
    if not entries:
        say("no test is in quarantine")
    from setpoint.model.wording import counted

    for known in flaky:
        runs = counted(len(known.seen), "run")
        say(f"flaky: {known.test}  in {runs}, last {known.seen[-1]:%Y-%m-%d}")
