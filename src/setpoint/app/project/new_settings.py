"""`setpoint init`: the settings file of a project, with what its tests need beside what git holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import NamedTuple

from setpoint.checks.needs.carried_files import found_needs
from setpoint.checks.needs.named_needs import named_by_tests
from setpoint.model.config.local_needs import Needs
from setpoint.wiring.project import Project

FILE = "setpoint.toml"
_EXAMPLE = """\
# Settings of Setpoint. Every key has a default, so this file may stay empty.
# All keys: docs/reference/settings.md

# [agents]
# maker = "auto"            # or claude, codex, gemini, copilot, opencode, mechanic, or your own

# [limits]
# max_iterations = 7
# max_cost_usd = 5

# [agent.mine]
# command = ["my-agent", "--task", "{prompt}"]
"""
_MEASURED = "`setpoint check` found by trying that tests need these, which git does not hold."
_NAMED = "Tests or settings name these, which git does not hold. Remove the # to give them to the checks."


class NewSettings(NamedTuple):
    """What became of the settings file."""

    written: bool
    """Whether it was made: one that exists is never changed."""
    needs: str
    """What tests need beside what git holds, in a line; empty where nothing was found."""


def write_settings(project: Project) -> NewSettings:
    """Make the settings file where there is none; names of files and variables, never their content."""
    measured, stated = found_needs(project.state), project.settings
    known = (*stated.copied.files, *stated.environment.passed)
    needs = measured or asyncio.run(named_by_tests(project.root))
    unwritable = (path for path in needs.files if not path.isprintable())
    needs = needs.without((*known, *unwritable))
    file = project.root / FILE
    written = not file.exists()
    if written:
        file.write_text("\n".join((_EXAMPLE, *_lines(needs, commented=not measured))), "utf-8")
    if not needs:
        return NewSettings(written, "")
    if measured:
        return NewSettings(written, f"the checks get {needs.words}" + ", as stated there now" * written)
    hint = f"remove the # before [copy] and [environment] in {FILE}" if written else f"write {needs.settings}"
    return NewSettings(
        written, f"tests or settings name {needs.words}; hint: {hint} to give them to the checks"
    )


def _lines(needs: Needs, *, commented: bool) -> Iterator[str]:
    """Yield the lines that state some needs; commented out where nothing has measured them."""
    mark = "# " if commented else ""
    tables: dict[str, dict[str, str | tuple[str, ...]]] = {
        "copy": {"files": (*needs.grouped,), "build": needs.build},
        "environment": {"pass": needs.variables},
    }
    if needs:
        yield f"# {_NAMED if commented else _MEASURED}"
    for table, keys in tables.items():
        if any(keys.values()):
            stated = (
                f"{mark}{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in keys.items() if text
            )
            yield "\n".join((f"{mark}[{table}]", *stated, ""))
