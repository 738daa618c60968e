"""What is to be measured in a project, with a reason for each check, and whose code the tests would run."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter

from setpoint.checks.discovery.environment_of_tests import environment_of_tests
from setpoint.checks.discovery.interpreter import PROBE_S, Interpreter, Interpreters, literal
from setpoint.checks.discovery.layout import Layout, configuration, read_layout
from setpoint.checks.discovery.own_commands.command import Kind
from setpoint.checks.discovery.own_commands.elsewhere import files_elsewhere, scripts_elsewhere
from setpoint.checks.discovery.own_commands.excluded import scripts_named, why_excluded
from setpoint.checks.discovery.own_commands.found import own_commands
from setpoint.checks.discovery.package_suites import fits, manifests, with_own_tests
from setpoint.checks.discovery.program import MENDS, Program, found_program, python_program
from setpoint.checks.discovery.tool_start import Starts
from setpoint.checks.discovery.unread_tests import MEND, why_no_tests
from setpoint.checks.needs.kept_elsewhere import MENDS as NOT_THERE
from setpoint.checks.needs.kept_elsewhere import Beside
from setpoint.errors import SettingsError
from setpoint.model.config.local_needs import NOTHING, Needs
from setpoint.model.evidence import COVERAGE_OF, NO_SUITE, OWN_TESTS, SUITES
from setpoint.model.ids import Commit
from setpoint.model.shell import calls
from setpoint.model.wording import counted
from setpoint.presets import Preset, presets
from setpoint.presets.check_settings import ChecksSettings
from setpoint.system.git.git import contents, files_at
from setpoint.system.git.repository_names import NAMELESS, RepositoryNames
from setpoint.system.processes import Command, run
from setpoint_probe.plugin import PROBE

_MOST_TESTS = 1000
"""Most files of tests that are read to find out for which runner they are written."""
_PYTEST = re.compile(rb"^\s*(import|from) pytest\b", re.MULTILINE)
_DJANGO = re.compile(r"(?:\bmanage\.py|\bdjango-admin|-m django) test\b")
_MOST_SCRIPTS = 20
"""Most scripts that are read for one command."""
OWN_CHECKS = ("own_lint", "own_types")
"""Checks that run the project's own command whole, beside that for tests."""
_CHANGING = re.compile(r"--fix|--write|\bfix\b|--in-place")
"""What a command says that changes the files it looks at."""
ADVICE = "advice that never blocks"
"""Begins the reason for a tool that the project does not use itself."""
_STATED = re.compile(r"\d+(?:\.\d+)+")
_NOTHING_BESIDE = Beside(submodules=False, pointers=False, missing={})
_MISSING = {**NOT_THERE, NO_SUITE: MEND}
_ORIGINS = TypeAdapter(dict[str, str | None])


@dataclass(frozen=True, kw_only=True)
class Project:
    """All that is known of a project before a tree of it is measured."""

    root: Path = Path()
    """The user's own tree."""
    interpreter: Interpreter
    layout: Layout
    chosen: Mapping[str, str]
    """Checks that are made, with the reason for each."""
    programs: Mapping[str, Program] = field(default_factory=dict)
    """The program of each chosen tool that is installed."""
    unseen: Mapping[str, str] = field(default_factory=dict)
    """What of the project is missing where it is measured, by kind."""
    apart: Beside = _NOTHING_BESIDE
    """What of the project git holds elsewhere."""
    names: RepositoryNames = NAMELESS
    """What the repository calls itself."""
    needs: Needs = NOTHING
    """What the checks get beside what git holds."""
    to_agents: Needs = NOTHING
    """What of it agents get, too."""
    leak: str = ""
    """Why the tests would not run the measured code; empty where they do."""

    @property
    def bare(self) -> Project:
        """Return the project without what only its own code may meet: ignored files and variables."""
        return replace(self, interpreter=replace(self.interpreter, passed=()), needs=NOTHING)

    @property
    def missing(self) -> dict[str, str]:
        """Return the chosen tools that cannot be used, and parts that cannot be seen, with what to do."""
        known = [name for name in self.chosen if name in presets()]
        unusable = {name: why for name in known if (why := self.unusable(name))}
        return unusable | {name: _MISSING[name] for name in self.unseen}

    def unusable(self, name: str) -> str:
        """Say why a chosen tool cannot be used, and what to do; empty where it can."""
        program, mend = self.programs.get(name), MENDS[presets()[name].via]
        if program is None:
            return f"{name} is not installed; {mend}"
        return f"{name} cannot be used: {program.fault}" if program.fault else ""


async def layout_at(root: Path | str, base: Commit) -> Layout:
    """Read the layout of a project from a commit."""
    files = await files_at(root, base)
    texts = await contents(root, base, configuration(files))
    told = {name: text.decode("utf-8", "replace") for name, text in texts.items()}
    scripts, harmful = await _reached(root, base, files, told)
    layout = read_layout(files, {**scripts, **told}, harmful)
    tests = await contents(root, base, layout.tests[:_MOST_TESTS])
    return replace(layout, for_unittest=_of_unittest(tests.values()))


async def _reached(
    root: Path | str, base: Commit, files: tuple[str, ...], texts: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Read what own commands run by other files: shell scripts, and other folders' Makefiles and scripts.

    Returns the texts of these by path, and why a command is never run, by file and what people type.
    """
    read, harmful = dict[str, str](), dict[str, str]()
    for command in own_commands(texts, files):
        waiting, seen = [command.script], set[str]()
        while waiting and len(seen) < _MOST_SCRIPTS:
            script = waiting.pop()
            named = [*scripts_named(script, files), *files_elsewhere(script, files)]
            new = [each for each in named if each not in {*read, *texts}]
            for path, content in (await contents(root, base, new)).items():
                read[path] = content.decode("utf-8", "replace")
            known = {**texts, **read}
            inner = [(path, known[path]) for path in scripts_named(script, files) if path in known]
            for path, text in (*inner, *scripts_elsewhere(script, known)):
                if f"{path}{text}" in seen:
                    continue
                seen.add(f"{path}{text}")
                waiting.append(text)
                if why := why_excluded(text):
                    harmful.setdefault(f"{command.file} {command.shown}", f"{path}: {why}")
    return read, harmful


def _of_unittest(tests: Collection[bytes]) -> bool:
    """Whether tests can be run by unittest: some are written for it, and none needs pytest."""
    return any(b"unittest" in text for text in tests) and not any(_PYTEST.search(text) for text in tests)


async def find_programs(
    root: Path,
    chosen: Collection[str],
    both: Interpreters,
    folders: Sequence[str] = (),
    starts: Starts | None = None,
) -> dict[str, Program]:
    """Find the programs of the chosen tools for the project at `root`, whose packages lie in `folders`.

    Each is started once, if `starts` does not remember that it starts.
    """
    kept = starts or Starts()
    known = {name: preset for name, preset in presets().items() if name in chosen}
    found = await asyncio.gather(
        *(found_program(preset, both.project, both.own, root, folders, kept) for preset in known.values())
    )
    return {name: program for name, program in zip(known, found, strict=True) if program is not None}


def with_pins(chosen: Mapping[str, str], layout: Layout, programs: Mapping[str, Program]) -> dict[str, str]:
    """Add to the reason for a tool that another version runs than the one that the project pins."""
    said = dict(chosen)
    for name, (wanted, file) in layout.pinned.items():
        program = programs.get(name)
        have = _STATED.search(program.version) if program else None
        if name in said and have and have[0] != wanted:
            said[name] = f"{said[name]}; version {have[0]} runs, and {file} pins {wanted}"
    return said


def without_switched_off(layout: Layout, checks: ChecksSettings) -> Layout:
    """Leave the folders of runners that the settings switch off to the project's own test commands."""
    used = {name: each for name, each in layout.suites.items() if checks.tool(name).use is not False}
    return (
        layout
        if len(used) == len(layout.suites)
        else replace(layout, suites=with_own_tests(used, layout.own))
    )


def choose(checks: ChecksSettings, layout: Layout, both: Interpreters) -> dict[str, str]:
    """Choose the checks, each with the reason that `setpoint doctor` shows.

    Raises `SettingsError` where the settings ask for the project's own test command and none is run whole.
    """
    if checks.tool(OWN_TESTS).use is True and OWN_TESTS not in layout.suites:
        raise _no_own_tests(layout)
    chosen = {"parse": "always", "integrity": "always"}
    runner = _runner(checks, layout, both.project)
    chosen |= runner
    if runner:
        if checks.coverage is True:
            chosen["coverage"] = "setting checks.coverage"
        elif checks.coverage == "auto" and both.project.has("coverage"):
            runs = next(iter(runner))
            chosen["coverage"] = f"coverage {both.project.modules['coverage']} is installed beside {runs}"
        if checks.mutation:
            chosen["mutation"] = "setting checks.mutation"
    for name, preset in presets().items():
        use = checks.tool(name).use
        if not use or (use == "auto" and name == OWN_TESTS and runner and not _unseen(layout)):
            continue  # Python's own runner reads each test of it
        if use == "auto" and name in layout.suites:
            chosen[name] = layout.suites[name].reason
        elif reason := _reason(name, preset, checks, layout, both):
            chosen[name] = reason
    return chosen | _coverage(checks, chosen)


def _no_own_tests(layout: Layout) -> SettingsError:
    """Say why no test command of the project is run whole, and what to do."""
    known = next((each for each in layout.own if each.kind is Kind.TEST), None)
    if known is None:
        why = "no file of the project names a test command"
        hint = "name one (script 'test' of package.json, target `test` of a Makefile), or add a [check.NAME]"
    elif known.excluded:
        why, hint = f"{known.reason} is never run: {known.excluded}", "name another test command"
    else:
        why = f"{known.reason} is read test by test: {', '.join(layout.suites) or 'Python tests'}"
        hint = "switch that runner off, to have the command run whole"
    return SettingsError(
        f"checks.own_tests = true: {why}", hint=f"{hint}; or leave the setting out, so that it is found"
    )


def _reason(name: str, preset: Preset, checks: ChecksSettings, layout: Layout, both: Interpreters) -> str:
    """Say why a tool is used; empty where it is not."""
    if preset.chosen == "own":
        return _unread_command(name, layout)
    if checks.tool(name).use is True:
        return f"setting checks.{name}"
    return _automatic(name, preset, layout, both if checks.advice else None)


def without_tests(chosen: Collection[str], layout: Layout) -> dict[str, str]:
    """Say, in place of a suite, why the tests of a project with code are not run; empty where they are."""
    if set(SUITES) & set(chosen):
        return {}
    off = [*layout.suites, *(["pytest"] if layout.tests else [])]
    reason = why_no_tests(layout.files, layout.packages_said, off)
    return {NO_SUITE: reason} if reason else {}


def _unread_command(name: str, layout: Layout) -> str:
    """Say which own command is run whole; empty where there is none, or where a known tool does its work."""
    own = next((each for each in layout.own if f"own_{each.kind}" == name and not each.folder), None)
    if own is None or own.excluded or _CHANGING.search(own.script):
        return ""
    known = {preset.program for preset in presets().values() if preset.program != "sh"} - {"node"}
    started = {word.rpartition("/")[2] for call in calls(own.script) for word in call.words}
    return "" if started & known else f"{own.reason}: {own.script}"


def _by_django(layout: Layout) -> bool:
    """Whether the project's people test by Django's own command, which sets up what the tests need."""
    own = (each for each in layout.own if each.kind is Kind.TEST and not each.folder and not each.excluded)
    return any(_DJANGO.search(each.script) for each in own)


def _unseen(layout: Layout) -> bool:
    """Whether the own command runs tests in its own way, or in files that no convention calls tests."""
    call = layout.python_call
    if call is None:
        own = next((each for each in layout.own if each.kind is Kind.TEST and not each.folder), None)
        return not layout.tests or (own is not None and bool(own.unread))
    return call.runner == "unittest" and not any(map(call.takes, layout.tests))


def _coverage(checks: ChecksSettings, chosen: Mapping[str, str]) -> dict[str, str]:
    """Choose the coverage of tests in other languages, which needs nothing of the project."""
    if checks.coverage is False:
        return {}
    suites = [name for name in SUITES if name in chosen and name in presets() and _watchable(name)]
    asked = "setting checks.coverage"
    return {
        f"{COVERAGE_OF}{name}": asked if checks.coverage is True else f"{name} runs the tests again, watched"
        for name in suites
    }


def _watchable(name: str) -> bool:
    """Whether Setpoint can watch what its tests reach: it knows more of the runner than a preset says."""
    return name != OWN_TESTS and presets()[name].reports is None


async def found_leak(root: Path, place: Path, interpreter: Interpreter, layout: Layout) -> tuple[Layout, str]:
    """Find out whether the tests would import the project's packages from anywhere but the measured tree.

    Where the project keeps its packages in a folder of its own, that folder is added to the layout's imports;
    what still comes from elsewhere is reported as a reason with a hint.
    """
    outside: dict[str, Path] = {}
    for _ in range(2):
        origins = await _origins(place, interpreter, layout)
        outside = {name: origin for name, origin in origins.items() if not origin.is_relative_to(place)}
        if not outside:
            return layout, ""
        folders = {_folder(name, layout) for name in outside}
        if folders <= set(layout.imports):
            break
        layout = replace(layout, imports=(*sorted(folders - set(layout.imports)), *layout.imports))
    name, origin = next(iter(outside.items()))
    whose = "your own tree" if origin.is_relative_to(root) else "an installed copy"
    reason = f"the tests would import {name!r} from {whose} ({origin}), not from the tree that is measured; "
    return layout, reason + "uninstall it, or install it editable the plain way (a .pth file, no import hook)"


async def _origins(place: Path, interpreter: Interpreter, layout: Layout) -> dict[str, Path]:
    names = {package.rpartition("/")[2].removesuffix(".py") for package in layout.packages}
    wanted = sorted(name for name in names if name.isidentifier() and name not in sys.stdlib_module_names)
    if not wanted:
        return {}
    argv = (interpreter.path, str(PROBE), "packages", *wanted)
    variables = environment_of_tests(interpreter, place, layout)
    done = await run(Command(argv=argv, cwd=place, environment=variables, timeout_s=PROBE_S))
    try:
        answer = _ORIGINS.validate_python(literal(done.stdout)) if done.ok else {}
    except ValueError:
        return {}  # an interpreter that prints at start; the tests themselves will show what it breaks
    places = {name: Path(origin) for name in wanted if (origin := answer.get(name))}
    return {name: place for name, place in places.items() if place.is_absolute()}


def _folder(name: str, layout: Layout) -> str:
    named = [p for p in layout.packages if p.rpartition("/")[2].removesuffix(".py") == name]
    return named[0].rpartition("/")[0]


def _runner(checks: ChecksSettings, layout: Layout, project: Interpreter) -> dict[str, str]:
    """Choose what runs the Python tests, with the reason: unittest only where nothing speaks of pytest."""
    for name, asked in (("pytest", checks.pytest), ("unittest", checks.unittest)):
        if asked is True:
            return {name: f"setting checks.{name}"}
    count = len(layout.tests)
    found = f"{counted(count, 'file')} of tests, for example {layout.tests[0]}" if count else ""
    plain = layout.for_unittest and not project.has("pytest") and not layout.pytest_config
    if plain and checks.unittest == "auto":
        return {"unittest": f"{found}; pytest is not installed in the project's environment"}
    if checks.pytest is False or (_by_django(layout) and not layout.pytest_config):
        return {}
    if found:
        return {"pytest": f"{found}{_apart(layout)}"}
    if layout.pytest_config:
        return {"pytest": f"pytest is configured in {layout.configured['pytest']}"}
    begins = layout.packages and not manifests(layout.files) and project.has("pytest")
    return {"pytest": "pytest is installed, and no test is there yet"} if begins else {}


def _apart(layout: Layout) -> str:
    """Say in which folders pytest runs on its own."""
    roots = layout.test_roots
    said = [f"{root.folder}{f' ({name})' if (name := _name_of(root.configured)) else ''}" for root in roots]
    return f"; run apart in {', '.join(said)}" if said else ""


def _name_of(file: str) -> str:
    return file.rpartition("/")[2]


def _automatic(name: str, preset: Preset, layout: Layout, advising: Interpreters | None) -> str:
    """Say why a tool is used without being asked for; `advising` are environments with tools for advice."""
    if preset.chosen == "asked":
        return ""
    used = layout.used.get(name, "")
    if used or advising is None or preset.chosen != "installed":
        return used
    program = python_program(preset, advising.project, advising.own)
    if program is None or not any(fits(file, preset) for file in layout.files):
        return ""
    return f"{ADVICE}: {name} {program.version} is installed {program.place}; the project does not use it"
