"""A copy of the work tree in which edits are tried, and what the project's own runners say of it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from setpoint.model.suite_command import SCRATCH, SELECTED, TREE, SuiteCommand
from setpoint.ports.toolkit import CommandRequest, CommandResult, Toolkit
from setpoint_mechanic.repair.one_token.grammars import suffix_of
from setpoint_mechanic.repair.one_token.used_files import module_folder

_IGNORED = shutil.ignore_patterns(".git", ".setpoint", "__pycache__", ".venv", "venv", "target")
_PACKAGES = "node_modules"
Outcomes = Mapping[str, bool]
"""Whether each test passed, by its identifier; of a file or package also whether it passed as a whole."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How the tests of one run ended."""

    outcomes: Outcomes
    done: CommandResult

    @property
    def seconds(self) -> float:
        """Return how long it took."""
        return self.done.duration_s

    @property
    def timed_out(self) -> bool:
        """Whether it had to be ended."""
        return self.done.exit_code is None


@dataclass(frozen=True, kw_only=True)
class Copy:
    """A copy of a work tree beside a folder that the runs may write to."""

    toolkit: Toolkit
    source: Path
    folder: Path
    caches: dict[str, Path] = field(default_factory=dict)

    @property
    def tree(self) -> Path:
        """Return the copy's root."""
        return self.folder / "tree"

    def make(self, commands: Iterable[SuiteCommand]) -> None:
        """Copy the tree and the caches of the runners."""
        shutil.copytree(self.source, self.tree, symlinks=True, ignore=_IGNORED)
        for packages in _package_folders(self.tree):
            _relink(packages, self.source.resolve(), self.tree)
        for number, command in enumerate(commands):
            scratch = self.folder / f"scratch-{number}"
            scratch.mkdir()
            self.caches.setdefault(command.model_dump_json(), scratch)
            if command.cache and Path(command.cache).is_dir():
                shutil.copytree(command.cache, scratch / "cache", symlinks=True)

    async def run(self, command: SuiteCommand, tests: Sequence[str], limit_s: float) -> Ended:
        """Run some tests of a runner, all where none are named."""
        scratch = self.caches[command.model_dump_json()]
        places = {TREE: str(self.tree), SCRATCH: str(scratch)}
        argv = filled(command.some, selection(command, tests)) if tests else command.every
        report = Path(_put(command.report, places)) if command.report else None
        if report is not None:
            report.unlink(missing_ok=True)
        done = await self.toolkit.run_command(
            CommandRequest(
                argv=tuple(_put(word, places) for word in argv),
                cwd=self.tree / command.folder,
                environment=self.toolkit.environment(
                    {
                        **{name: _put(text, places) for name, text in command.environment.items()},
                        "TMPDIR": str(scratch),
                    }
                ),
                timeout_s=limit_s,
            )
        )
        if report is None:
            return Ended(outcomes=dict(of_go(done.output)), done=done)
        text = report.read_text("utf-8", "replace") if report.is_file() else ""
        return Ended(outcomes=dict(of_scripts(text, self.tree)), done=done)


def may_own(command: SuiteCommand, test: str, tree: Path) -> bool:
    """Whether a test can be one that a command runs."""
    place, _, name = test.partition("::")
    if command.runner == "go_test":
        at = None if suffix_of(place) else module_folder(tree, place)
        return (
            at is not None and at[0] == command.folder and re.match(r"$|Test|Example|Fuzz", name) is not None
        )
    inside = not command.folder or place.startswith(f"{command.folder}/")
    return bool(suffix_of(place)) and inside


def selection(command: SuiteCommand, tests: Sequence[str]) -> tuple[str, ...]:
    """Return the words that choose tests: their packages and names in Go, else their files."""
    places = sorted({test.partition("::")[0] for test in tests})
    if command.runner == "go_test":
        names = sorted({test.partition("::")[2].partition("/")[0] for test in tests})
        pattern = ("-run", f"^({'|'.join(map(re.escape, names))})$") if all(names) else ()
        return (*pattern, *places)
    within = f"{command.folder}/" if command.folder else ""
    by_path = ("--runTestsByPath",) if command.runner == "jest" else ()
    return (*by_path, *(f"./{place.removeprefix(within)}" for place in places))


def filled(some: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Put the words that choose tests into a command, also into one that a shell reads."""
    if SELECTED in some:
        at = some.index(SELECTED)
        return (*some[:at], *words, *some[at + 1 :])
    return tuple(each.replace(shlex.quote(SELECTED), shlex.join(words)) for each in some)


def of_go(report: str) -> Iterator[tuple[str, bool]]:
    """Read the lines of `go test -json`."""
    for line in report.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and said.get("Action") in ("pass", "fail"):
            name = f"::{said['Test']}" if said.get("Test") else ""
            yield f"{said.get('Package')}{name}", said["Action"] == "pass"


def of_scripts(report: str, tree: Path) -> Iterator[tuple[str, bool]]:
    """Read the report of jest, which all runners of scripts write here."""
    try:
        files = json.loads(report)["testResults"]
    except (ValueError, KeyError, TypeError):
        return
    for file in files:
        place = Path(os.path.relpath(file["name"], tree)).as_posix()
        yield place, file["status"] == "passed"
        for test in file["assertionResults"]:
            if test["status"] in ("passed", "failed"):
                name = " > ".join([*test["ancestorTitles"], test["title"]])
                yield f"{place}::{name}", test["status"] == "passed"


def _put(text: str, places: Mapping[str, str]) -> str:
    for mark, place in places.items():
        text = text.replace(mark, place)
    return text


def _package_folders(tree: Path) -> Iterator[Path]:
    for folder, below, _ in os.walk(tree):
        if _PACKAGES in below:
            below.remove(_PACKAGES)
            yield Path(folder) / _PACKAGES


def _relink(packages: Path, source: Path, tree: Path) -> None:
    """Let links to packages of the same repository point into the copy."""
    for entry in (*packages.iterdir(), *packages.glob("@*/*")):
        if entry.is_symlink() and (target := entry.readlink()).is_relative_to(source):
            entry.unlink()
            entry.symlink_to(tree / target.relative_to(source))
