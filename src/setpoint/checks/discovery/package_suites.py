"""Which packages of a project have tests in other languages, and by which runner; read from the base."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from setpoint.checks.discovery.linked_packages import FOLDER
from setpoint.checks.discovery.own_commands.command import Kind, OwnCommand
from setpoint.checks.discovery.own_commands.package_scripts import manifest_of
from setpoint.checks.discovery.own_commands.runner_calls import RunnerCall
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import OWN_TESTS
from setpoint.model.shell import unquoted
from setpoint.presets import Preset, Reports, presets

MANIFESTS = ("package.json", "go.mod", "Cargo.toml")
"""Files that make a folder a package, beside those that presets name."""
MOST_PACKAGES = 200
_CALLS = {
    "vitest": re.compile(r"(?:^|[\s&|;])vitest\b"),
    "jest": re.compile(r"(?:^|[\s&|;/])jest(?:\.js)?\b"),
    "node_test": re.compile(r"(?:^|[\s&|;])(?:node|tsx)\s(?:[^&|;]*\s)?--test\b"),
    "mocha": re.compile(r"(?:^|[\s&|;/])_?mocha\b"),
}
"""How a script of `package.json` calls a runner."""
_CONFIGURED = {
    "vitest": re.compile(r"vitest\.(?:config|workspace)\.[cm]?[jt]s$"),
    "jest": re.compile(r"jest\.config\.(?:[cm]?[jt]s|json)$"),
    "mocha": re.compile(r"\.mocharc\.(?:[cm]?js|jsonc?|ya?ml)$"),
}
_KEYS = {"jest": "jest", "mocha": "mocha"}


@dataclass(frozen=True, kw_only=True)
class Found:
    """A runner that the project uses."""

    folders: tuple[str, ...]
    """The packages it tests; empty text for the root."""
    reason: str
    calls: Mapping[str, tuple[RunnerCall, ...]] = field(default_factory=dict)
    """How the project's own command calls it, by folder; a folder that is missing has a plain call."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Options of that command for a runner that Setpoint calls in its own way, for example `-race`."""


def manifests(files: Iterable[str]) -> list[str]:
    """Name the files that make a folder a package, those nearest to the root first."""
    known = {*MANIFESTS, *(name for reports in _reporting().values() for name in reports.manifests)}
    named = (file for file in files if _name(file) in known and not is_lent(file))
    return sorted(named, key=lambda file: (file.count("/"), file))[:MOST_PACKAGES]


def is_lent(file: str) -> bool:
    """Whether a manifest belongs to an installed package, or to data of tests."""
    folders = {*file.split("/")[:-1]}
    return not folders.isdisjoint({FOLDER, "testdata", "fixtures", "__fixtures__", "fixture"})


def found_suites(
    files: Iterable[str], texts: Mapping[str, str], own: Iterable[OwnCommand] = ()
) -> dict[str, Found]:
    """Find the runners; `texts` holds what `manifests` names, `own` are the project's own commands.

    Where the root calls a runner itself, it tests all packages; else each package that calls one is alone.
    A test command that calls no known runner is run as it is, where nothing else tests its folder.
    """
    known, commands = tuple(files), tuple(own)
    packages = [file for file in manifests(known) if file in texts]
    found: dict[str, Found] = {}
    for name in _CALLS:
        calls = _own_calls(name, commands)
        reasons = {
            **dict(_scripted(name, packages, known, texts)),
            **{at: why for at, (why, _) in calls.items()},
        }
        if reasons:
            outer = _outermost(reasons)
            kept = {at: each for at, (_, each) in calls.items() if at in outer.folders}
            found[name] = replace(outer, calls=kept)
    go = {_folder(file): file for file in packages if file.endswith("go.mod")}
    tested = {
        folder: f"{file} and tests, for example {test}"
        for folder, file in go.items()
        if (test := next((each for each in known if each.endswith("_test.go") and _under(each, folder)), ""))
    }
    if tested:
        found["go_test"] = Found(folders=tuple(tested), reason=next(iter(tested.values())))
    crates = {_folder(file): file for file in packages if file.endswith("Cargo.toml")}
    if crates:
        found["cargo_test"] = _outermost(crates)
    found |= _reported(packages, known)
    for name in found.keys() - _CALLS.keys():
        found[name] = replace(
            found[name], options=_options(name, commands), calls=_around(name, commands, found[name].folders)
        )
    return with_own_tests(found, commands)


def with_own_tests(found: Mapping[str, Found], own: Iterable[OwnCommand]) -> dict[str, Found]:
    """Add the test commands that are run as they are, where none of the runners found tests their folder."""
    kept = {name: each for name, each in found.items() if name != OWN_TESTS}
    unread = dict(_unread(own, kept))
    if not unread:
        return kept
    outer = _outermost({folder: f"{each.reason}: {each.unread}" for folder, each in unread.items()})
    typed = {
        folder: (RunnerCall(shown=_shown(each), file=each.file, before=each.unread),)
        for folder, each in unread.items()
        if folder in outer.folders
    }
    return {**kept, OWN_TESTS: replace(outer, calls=typed)}


def _options(name: str, own: Iterable[OwnCommand]) -> dict[str, tuple[str, ...]]:
    """Return the options with which the project's own test commands call a runner first, by folder."""
    called = {at: calls[0] for at, (_, calls) in _own_calls(name, own).items()}
    return {at: tuple(map(unquoted, call.options)) for at, call in called.items() if call.options}


def _around(
    name: str, own: Iterable[OwnCommand], folders: Iterable[str]
) -> dict[str, tuple[RunnerCall, ...]]:
    """Return what the own commands set and run before their first call of a runner, by tested folder."""
    called = {at: calls[0] for at, (_, calls) in _own_calls(name, own).items()}
    plain = {at: replace(call, options=(), targets=()) for at, call in called.items()}
    around = {at: call for at, call in plain.items() if call.variables or call.first}
    found = {folder: around.get(folder, around.get("")) for folder in folders}
    return {folder: (call,) for folder, call in found.items() if call is not None}


def _reporting() -> dict[str, Reports]:
    """Return the runners that need nothing but their preset."""
    return {name: preset.reports for name, preset in presets().items() if preset.reports is not None}


def _reported(packages: list[str], files: tuple[str, ...]) -> dict[str, Found]:
    """Find the packages of such runners with tests; of two for one folder, the one whose wrapper is there."""
    found: dict[str, Found] = {}
    for name, reports in _reporting().items():
        named = {_folder(file): file for file in reversed(packages) if _name(file) in reports.manifests}
        tests = [file for file in files if is_test_path(file) and fits(file, presets()[name])]
        tested = {
            folder: f"{file} and tests, for example {test}"
            for folder, file in sorted(named.items())
            if (test := next((each for each in tests if _under(each, folder)), ""))
        }
        if tested:
            found[name] = _outermost(tested)
    wrapped = [name for name in found if (own := presets()[name].wrapper) and own.script in files]
    kept = (wrapped or [*found])[:1]
    folders = {folder for name in kept for folder in found[name].folders}
    return {name: each for name, each in found.items() if name in kept or not folders & {*each.folders}}


def fits(file: str, preset: Preset) -> bool:
    """Whether a tool looks at a file of that name."""
    return any(fnmatchcase(_name(file), glob) for glob in preset.globs)


def _name(file: str) -> str:
    return file.rpartition("/")[2]


def _unread(own: Iterable[OwnCommand], found: Mapping[str, Found]) -> Iterator[tuple[str, OwnCommand]]:
    """Yield test commands of which no reader runs all, by folder, where no other runner tests that folder."""
    tested = {folder for each in found.values() for folder in each.folders}
    for each in own:
        read = any(_under(folder, each.folder) for folder in tested)
        partly = read and not _CALLS.keys().isdisjoint(each.calls())
        if each.kind is Kind.TEST and (partly or not read) and each.unread:
            yield each.folder, each


def _shown(command: OwnCommand) -> str:
    """Return what people type, or the steps that readers leave."""
    return command.unread if command.calls() else command.shown


def _own_calls(name: str, own: Iterable[OwnCommand]) -> dict[str, tuple[str, tuple[RunnerCall, ...]]]:
    """Return how the project's own test commands call a runner, with the reason, by folder."""
    tests = (each for each in own if each.kind is Kind.TEST)
    called = {each.folder: (each, tuple(each.calls().get(name, ()))) for each in tests}
    return {at: (f"{each.reason} calls it", calls) for at, (each, calls) in called.items() if calls}


def package_folders(files: Iterable[str]) -> tuple[str, ...]:
    """Return the folders with a `package.json`, in which packages may be installed."""
    return tuple(_folder(file) for file in manifests(files) if file.endswith("package.json"))


def _scripted(
    name: str, packages: list[str], files: tuple[str, ...], texts: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    for file in packages:
        if not file.endswith("package.json"):
            continue
        folder, manifest = _folder(file), manifest_of(texts[file])
        scripts = manifest.get("scripts")
        called = [key for key, text in _texts(scripts) if _CALLS[name].search(text)]
        config = _configuration(name, folder, files)
        if called:
            yield folder, f"script {called[0]!r} of {file} calls it"
        elif config and name in {**_table(manifest, "devDependencies"), **_table(manifest, "dependencies")}:
            yield folder, f"{file} depends on it, and {config} configures it"
        elif name in _KEYS and _KEYS[name] in manifest and any(is_test_path(each) for each in files):
            yield folder, f"{file} configures it"


def _configuration(name: str, folder: str, files: tuple[str, ...]) -> str:
    if name not in _CONFIGURED:
        return ""
    return next((file for file in files if _folder(file) == folder and _CONFIGURED[name].search(file)), "")


def _outermost(reasons: Mapping[str, str]) -> Found:
    """Keep the packages that lie in no other one of them."""
    outer = [folder for folder in reasons if not any(_inside(folder, other) for other in reasons)]
    return Found(folders=tuple(outer), reason=reasons[outer[0]])


def _inside(folder: str, other: str) -> bool:
    return folder != other and _under(folder, other)


def _under(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _table(manifest: dict[str, Any], key: str) -> dict[str, Any]:
    value = manifest.get(key)
    return value if isinstance(value, dict) else {}


def _texts(scripts: object) -> Iterator[tuple[str, str]]:
    for key, text in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(text, str):
            yield str(key), text
