"""`setpoint clean`: free the disk of what nothing hangs on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say


def clean(
    yes: Annotated[bool, typer.Option("--yes", help="Remove what is listed first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List what Setpoint keeps on the disk, and with `--yes` remove what nothing hangs on.

    Copies of runs that are open, not merged or not pushed stay, and so does the record.
    """
    from setpoint.app.project.upkeep import drop, kept
    from setpoint.wiring.project import open_project

    found = [each for each in kept(open_project(Path.cwd())) if each.size or not each.stays]
    going = [each for each in found if not each.stays]
    if yes:
        for each in going:
            drop(each)
    if as_json:
        rows = [{**each._asdict(), "paths": [*map(str, each.paths)]} for each in found]
        say(json.dumps({"removed": yes, "rows": rows}, indent=2))
        return
    for each in found:
        mark = f"stays: {each.stays}" if each.stays else "removed" if yes else "can go"
        say(f"{each.size / 1e6:9.1f} MB  {each.name:32} {mark}")
    size = sum(each.size for each in going) / 1e6
    if yes:
        say(f"removed {size:.1f} MB")
    else:
        say(f"{size:.1f} MB can go" + ("; hint: setpoint clean --yes" if going else ""))
