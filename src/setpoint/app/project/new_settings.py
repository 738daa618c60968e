"""`setpoint init`: the settings file of a project, with what its tests need beside what git holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.needs.carried_files import found_needs
from setpoint.checks.needs.named_needs import named_by_tests
from setpoint.model.config.limits import Limits
from setpoint.model.config.local_needs import Needs
from setpoint.system.git.clone import git_directory
from setpoint.system.git.git import ask_at_once
from setpoint.wiring.project import Project

FILE = "setpoint.toml"
_HEAD = """\
# Settings of Setpoint for this project. Every key has a default, and a line behind # changes nothing.
# All keys: docs/reference/settings.md
"""
_MORE = """\
# max_iterations = 7        # how often work is sent back before a person is asked
# max_wall_s = 1800         # seconds from the start of a run

# [proof]
# least = "others"          # whose tests are enough: hidden, others, or self

# [agent.mine]              # an agent of your own
# command = ["my-agent", "--task", "{prompt}"]
"""
_MEASURED = "`setpoint check` found by trying that tests need these, which git does not hold."
_NAMED = "Tests or settings name these, which git does not hold. Remove the # to give them to the checks."


class Choices(NamedTuple):
    """What a person chose; the defaults are those of Setpoint."""

    maker: str = "auto"
    """The agent that makes the changes."""
    most_usd: Decimal = Limits().max_cost_usd
    """US dollars for one run; 0 for no limit."""
    shared: bool = False
    """Whether the file is to be committed; otherwise git ignores it in this clone."""


class NewSettings(NamedTuple):
    """What became of the settings file."""

    written: bool
    """Whether it was made: one that exists is never changed."""
    needs: str
    """What tests need beside what git holds, in a line; empty where nothing was found."""


def write_settings(project: Project, choices: Choices | None = None) -> NewSettings:
    """Make the settings file where there is none; names of files and variables, never their content."""
    measured, stated = found_needs(project.state), project.settings
    known = (*stated.copied.files, *stated.environment.passed)
    needs = measured or asyncio.run(named_by_tests(project.root))
    unwritable = (path for path in needs.files if not path.isprintable())
    needs = needs.without((*known, *unwritable))
    file = project.root / FILE
    written = stated_in(project) is None
    if written:
        choices = choices or Choices()
        text = (_HEAD, *_chosen(choices), *_lines(needs, commented=not measured))
        file.write_text("\n".join(text), "utf-8")
        if not choices.shared:
            _ignore(project.root)
    if not needs:
        return NewSettings(written, "")
    if measured:
        return NewSettings(written, f"the checks get {needs.words}" + ", as stated there now" * written)
    hint = f"remove the # before [copy] and [environment] in {FILE}" if written else f"write {needs.settings}"
    return NewSettings(
        written, f"tests or settings name {needs.words}; hint: {hint} to give them to the checks"
    )


def stated_in(project: Project) -> Path | None:
    """Return the file that holds the project's settings, if there is one."""
    own, packaged = project.root / FILE, project.root / "pyproject.toml"
    if own.exists():
        return own
    return packaged if packaged.is_file() and "[tool.setpoint" in packaged.read_text("utf-8") else None


def _ignore(root: Path) -> None:
    """Let git ignore the settings file in this clone, where no rule does so already."""
    if ask_at_once(root, "check-ignore", "-q", FILE).exit_code:
        rules = git_directory(root) / "info" / "exclude"
        rules.parent.mkdir(exist_ok=True)
        before = rules.read_text("utf-8").splitlines() if rules.exists() else []
        rules.write_text("\n".join((*before, f"/{FILE}", "")), "utf-8")


def _chosen(choices: Choices) -> Iterator[str]:
    """Yield the tables a person chose something of; a key that has its default is a comment."""
    maker, most = json.dumps(choices.maker), f"{choices.most_usd:f}"
    agents = "# " * (choices.maker == Choices().maker)
    limits = "# " * (choices.most_usd == Choices().most_usd)
    yield f"{agents}[agents]"
    yield f"{agents}maker = {maker:<16} # auto: the first agent that works; names: setpoint agents\n"
    yield f"{limits}[limits]"
    yield f"{limits}max_cost_usd = {most:<8} # US dollars for one run; 0 for no limit"
    yield _MORE


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
