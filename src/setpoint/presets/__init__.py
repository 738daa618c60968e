"""Every known tool as data: one TOML file for each language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import TypeAdapter

from setpoint.model.config.custom_check import ReportFormat
from setpoint.model.finding import Category, Severity
from setpoint.model.quality import Metric
from setpoint.model.value import Value

_VERSION = re.compile(r"\d+(?:\.\d+)+")


class Via(StrEnum):
    """Where a tool's program comes from."""

    MODULE = "module"
    """`python -I -m PROGRAM`, in the project's environment, else in Setpoint's own."""
    SCRIPT = "script"
    """The script PROGRAM beside the interpreter, in the project's environment, else in Setpoint's own."""
    NODE = "node"
    """`node_modules/.bin/PROGRAM` of the project, and nothing else."""
    PATH = "path"
    """PROGRAM on the project's PATH, of which Setpoint's own environment is no part."""


class Signs(Value):
    """What shows that a tool is the project's; looked for in the base commit, in this order."""

    files: tuple[str, ...] = ()
    """Its configuration files at the root; the first that is there is `{config}`."""
    tables: tuple[str, ...] = ()
    """Tables under `[tool]` of `pyproject.toml`."""
    sections: tuple[str, ...] = ()
    """Sections of `setup.cfg` and `tox.ini`; one that ends with `:` is the beginning of a name."""
    keys: tuple[str, ...] = ()
    """Keys of `package.json`."""
    hooks: tuple[str, ...] = ()
    """Hooks of pre-commit, by id; none: the tool's own name."""
    commands: tuple[str, ...] = ()
    """Programs that tox, nox, scripts and CI call; none: the program, and the tool's own name."""
    packages: tuple[str, ...] = ()
    """Names under which a project depends on it; none: the distribution, else the program."""
    names_files: tuple[str, ...] = ()
    """Keys of its configuration that say which files it looks at, so that it is pointed at none."""


class Wrapper(Value):
    """A script that a project keeps beside its code, and that brings the program in the version it wants."""

    script: str
    """Its name at the root of the project."""
    settings: str
    """The file that holds its `distributionUrl`."""
    kept: str
    """The folder, from the home of the user, in which the distributions lie that it has downloaded.

    A wrapper whose distribution is not there is not started, since it would download it.
    """


class Reports(Value):
    """How a runner is used that writes one JUnit file or more into the tree."""

    files: str
    """Glob of the files, from the folder of the package."""
    manifests: tuple[str, ...]
    """Names of the files that make a folder a package; a package inside another one is a part of it."""
    selects: tuple[str, ...]
    """Words that choose tests: `{tests}` stands for all of them with commas between, `{test}` for each."""
    one: str
    """How one test is written there: `{group}` and `{name}`, as the report has them."""
    unbuilt: str
    """Pattern of a line about code that does not compile, with the groups `file`, `line` and `message`."""
    missing: str
    """Pattern of a line which says that something is not on this machine."""
    brings: str
    """The command that brings what is missing."""
    partly: str = ""
    """Pattern of a line which says that a part was left out, since another part failed."""


class Older(Value):
    """How older versions of a tool are called, where they lack the format of newer ones."""

    before: str
    """The first version that is called in the usual way, for example `2.4`."""
    argv: tuple[str, ...]
    """Their arguments, in place of the usual ones."""
    format: ReportFormat
    """Who reads their report."""
    unconfigured: tuple[str, ...] | None = None
    """Their arguments on top where the project does not configure the tool; none: the usual ones."""


class Preset(Value):
    """A tool as data.

    In arguments, `{python}` is the project's interpreter, `{cache}` a folder for the tool's own cache,
    `{package}` a name of the package it runs
    in, `{report}` the file it writes in the folder `{scratch}`, `{config}` the project's configuration of the
    tool, `{tree}` the root of the tree, `{inside}` the folder of what Setpoint
    lends to test runners. A tool's name is `[a-z][a-z0-9_]*`, so that a variable can name it.
    """

    title: str
    """What it measures, in a few words."""
    language: str
    """Of the code it looks at; `any` where it does not matter."""
    via: Via = Via.MODULE
    """Where its program comes from."""
    program: str
    """The module or program to start."""
    distribution: str = ""
    """The Python distribution that holds the module; empty: the module's name."""
    wrapper: Wrapper | None = None
    """The script that is started in its place where the project has one."""
    version: tuple[str, ...] = ("--version",)
    """Arguments that make a program tell its version."""
    command: str = ""
    """For a test runner: how people run it in a folder of theirs."""
    argv: tuple[str, ...]
    """Its arguments, before options and targets."""
    lists: tuple[str, ...] = ()
    """For a test runner: the arguments in their place that make it list files of tests, a line each."""
    older: Older | None = None
    """How it is called where the version found is an older one."""
    alone: tuple[str, ...] = ()
    """For a test runner: how a person runs one test.

    `{file}` is its file or package, `{name}` its name with its groups, `{leaf}` its name without.
    """
    unconfigured: tuple[str, ...] = ()
    """Arguments on top where the project does not configure it."""
    climbs: bool = False
    """Where the project does not configure it, it goes up for settings, and no argument keeps it from that.

    Settings above the measured tree, which lies in the user's own, make its result an error.
    """
    nested: bool = False
    """Whether settings below the root hold for what lies beside them: then it is not kept from them.

    Settings above the tree then make its result an error, as with `climbs`.
    """
    configured: Mapping[str, tuple[str, ...]] = {}
    """Arguments on top by the ending of the file that configures it; `` stands for any other ending."""
    shares: str = ""
    """The tool whose configuration it reads too; empty: its own."""
    format: ReportFormat
    """Who reads its report."""
    environment: Mapping[str, str] = {}
    """Variables it gets on top; `{cache}` stands for the folder of its own cache."""
    merged: bool = False
    """It writes its report to standard error, so that both streams are read as one."""
    report: str = ""
    """The file it writes, named from a folder outside the tree; empty: standard output."""
    reports: Reports | None = None
    """For a test runner: it writes JUnit files into the tree, and needs no code of its own here."""
    clean: tuple[int, ...] = (0,)
    """Exit codes that say: ran to its end, found nothing."""
    found: tuple[int, ...] = (1,)
    """Exit codes that say: ran to its end, found something. Every other code says that the tool broke."""
    counts_failures: bool = False
    """For a test runner: its exit code is the number of failing tests."""
    targets: Literal["tree", "changed", "configured", "none"] = "tree"
    """What it is pointed at.

    `tree`: everything; `changed`: files of the work, all at the base; `configured`: nothing where its own
    configuration names the files, else the packages; `none`: it knows by itself.
    """
    globs: tuple[str, ...]
    """Names of the files it looks at."""
    manifest: str = ""
    """The file that makes a folder a package, if it looks at one package at a time: it then runs in each.

    One that comes from `node_modules` runs below the root only in packages whose own scripts call it.
    """
    options_of: str = ""
    """The runner with whose options in the project's own command it is called, where no command calls it."""
    nested_packages: bool = False
    """Whether a package inside another one is not a part of it."""
    inputs: tuple[str, ...] = ()
    """Patterns of the names of all files that its findings depend on, its settings included, in any folder.

    Its results are kept until one of them changes; empty: until anything in the tree changes.
    """
    shared: bool = False
    """Whether all runs of a project use its own cache, one at a time; else each run has its own."""
    by_file: bool = False
    """Whether what it says of a file depends on that file, its settings and nothing else."""
    rooted: bool = True
    """Whether its report names files from the root of the tree; else from the folder that all lie in."""
    tests: bool = True
    """Whether files that hold tests are among its targets."""
    idle: str = ""
    """What it prints where it found nothing to look at, though it was pointed at something: an error."""
    silent: bool = False
    """It says nothing of a Python file that it cannot parse.

    Setpoint then parses its targets, and a file that does not parse makes the result an error.
    """
    chosen: Literal["configured", "installed", "asked", "own"] = "configured"
    """When it is used without being asked for: the project uses it (any of `signs`), it is `installed`, or
    the project's `own` command calls no tool that Setpoint reads.
    """
    feeds: tuple[Metric, ...] = ()
    """Metrics of the quality vector that it measures."""
    category: Category | None = None
    """What its findings are about; none: as the report says."""
    severity: Mapping[str, Severity] = {}
    """How bad findings are, by the beginning of their rule; else as the reader says."""
    fixes: str = ""
    """Where fixes come from; empty: it offers none."""
    signs: Signs = Signs()
    """What shows that the project uses it."""

    def for_version(self, version: str) -> Preset:
        """Return how the tool is called in a version, as the tool states it; an unknown one counts as new."""
        stated = _VERSION.search(version)
        if self.older is None or stated is None or _numbers(stated[0]) >= _numbers(self.older.before):
            return self
        changed = {"argv": self.older.argv, "format": self.older.format}
        if self.older.unconfigured is not None:
            changed["unconfigured"] = self.older.unconfigured
        return self.model_copy(update=changed)

    @property
    def package(self) -> str:
        """Name the distribution or package that holds the program."""
        return self.distribution or self.program

    @property
    def caches(self) -> bool:
        """Whether it has a cache of its own."""
        return any("{cache}" in each for each in (*self.argv, *self.environment.values()))


def languages_of(checks: Iterable[str]) -> tuple[str, ...]:
    """Name the languages in which a project is measured, by the names of its checks."""
    names = set(checks)
    found = {preset.language for name, preset in presets().items() if name in names} - {"any"}
    python = {"python"} if names & {"pytest", "unittest"} else set()
    return tuple(sorted(found | python))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def presets() -> dict[str, Preset]:
    """Return every preset by the name of its check."""
    adapter = TypeAdapter(dict[str, Preset])
    found: dict[str, Preset] = {}
    files = (each for each in resources.files(__name__).iterdir() if each.name.endswith(".toml"))
    for file in sorted(files, key=lambda each: each.name):
        found |= adapter.validate_python(tomllib.loads(file.read_text("utf-8")))
    return found
