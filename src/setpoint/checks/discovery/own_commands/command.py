"""A command that the project's own people type, and how it is made from what a file says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from setpoint.checks.discovery.own_commands.excluded import why_excluded
from setpoint.checks.discovery.own_commands.runner_calls import RunnerCall, after_runners, runner_calls
from setpoint.checks.discovery.own_commands.steps import INSTALLING, installs, joined, testing
from setpoint.model.shell import Part, parts

_MORE = re.compile(r"\|\||[()|]|(?<!&)&(?!&)|<<|(?:^|\s)[!{]\s|\b(?:if|for|while|case)\b", re.MULTILINE)
"""What makes a script more than a list of simple commands."""
_HERE = re.compile(r"\$\(pwd\)|`pwd`|\$\{PWD\}")
_UNSAFE = re.compile(r"[^\w@%+=:,./$-]")


class Kind(StrEnum):
    """What a command is for."""

    TEST = "test"
    LINT = "lint"
    TYPES = "types"
    BUILD = "build"


NAMES: Mapping[Kind, tuple[str, ...]] = {
    Kind.TEST: (
        "test",
        "tests",
        "test:unit",
        "test-unit",
        "unit",
        "test:ci",
        "check",
        "py",
        "py3",
        "testenv",
    ),
    Kind.LINT: ("lint", "lint:js", "lint:ts", "eslint", "style", "flake8"),
    Kind.TYPES: ("typecheck", "type-check", "types", "check-types", "check:types", "tsc", "mypy", "typing"),
    Kind.BUILD: ("build", "compile"),
}
"""What scripts, targets and environments of each kind are called, the likeliest first."""


@dataclass(frozen=True, kw_only=True)
class OwnCommand:
    """A command that the project's own people type."""

    kind: Kind
    shown: str
    """As people type it, for example `npm test` or `make test`."""
    file: str
    """The file that names it."""
    folder: str
    """Where it runs, from the root; empty for the root."""
    steps: tuple[Part, ...]
    """The simple commands that it comes to, in their order."""
    opaque: bool = False
    """Whether it holds more than a list of simple commands, so that it is run whole."""
    whole: str = ""
    """What a shell is given to run it whole, where that is not what the file says: `make test`."""
    excluded: str = ""
    """Why Setpoint never runs it; empty where it may."""

    @property
    def script(self) -> str:
        """What it comes to, as a script for a shell."""
        return joined(self.steps)

    @property
    def testing(self) -> str:
        """What is run for tests: without steps that only check the code, such as a linter, or install."""
        return self.whole or self.script if self.opaque else testing(self.steps)

    @property
    def unread(self) -> str:
        """What of a test command no reader of Setpoint's runs: all of it, or what comes after the runners."""
        if self.excluded:
            return ""
        return after_runners(self.steps) if self.calls() else self.testing

    @property
    def reason(self) -> str:
        """Say what it is and where it was found."""
        return f"`{self.shown}` of {self.file}"

    def calls(self) -> dict[str, list[RunnerCall]]:
        """Return its calls of runners that Setpoint reads, by runner."""
        found = {} if self.opaque or self.excluded else runner_calls(self.shown, self.steps)
        return {name: [replace(each, file=self.file) for each in calls] for name, calls in found.items()}


def command(
    kind: Kind, shown: str, file: str, script: str, *, steps: list[Part] | None = None, whole: str = ""
) -> OwnCommand:
    """Make a command of a script, or of its simple commands where these are known.

    `whole` is what people type, where a script of it is not all that would run.
    """
    script = _HERE.sub("$PWD", script)
    listed = parts(script) if steps is None else steps
    opaque = bool(whole) or _MORE.search(_unquoted(script)) is not None
    text = script if steps is None else " && ".join(map(str, steps))
    installing = next((each for each in parts(text) if installs(each)), None) if opaque else None
    return OwnCommand(
        kind=kind,
        shown=shown,
        file=file,
        folder="" if file.startswith(".github/") else file.rpartition("/")[0],
        steps=(Part("", (script,)),) if opaque and script.strip() else tuple(listed),
        opaque=opaque,
        whole=whole,
        excluded=why_excluded(text) or (f"{INSTALLING} (`{installing}`)" if installing else ""),
    )


def named_commands(
    program: str, file: str, scripts: Mapping[str, str], whole: Collection[str] = ()
) -> Iterator[OwnCommand]:
    """Make the command of each kind from scripts by name; `program` and a name are what people type.

    Those named in `whole` cannot be written as a script, so that what people type is run.
    """
    for kind, names in NAMES.items():
        name = next((each for each in names if scripts.get(each)), "")
        if name:
            shown = f"{program}{name}"
            yield command(kind, shown, file, scripts[name], whole=shown if name in whole else "")


def with_variables(script: str, variables: Mapping[str, str]) -> str:
    """Write a script that sets variables first."""
    if not script or not variables:
        return script
    words = " ".join(f"{name}={_quoted(value)}" for name, value in variables.items())
    simple = len(parts(script)) == 1 and not _MORE.search(_unquoted(script))
    return f"{words} {script}" if simple else f"export {words} && {script}"


def _quoted(value: str) -> str:
    """Quote a value for a shell; names of other variables in it stay names."""
    if not _UNSAFE.search(value):
        return value
    return '"' + re.sub(r'(["\\`])', r"\\\1", value) + '"'


def _unquoted(script: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"|\d?>&\d", "", script)
