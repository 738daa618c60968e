"""One run of pytest in each of several packages, put together as if it were one."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.discovery.linked_packages import FOLDER
from setpoint.checks.discovery.python_packages import TestRoot
from setpoint.checks.discovery.workspaces import nearest, within
from setpoint.checks.formats.tests.pytest_report import Raised, Suite
from setpoint.model.changes.test_paths import is_test_path
from setpoint.system.processes import Completed

REST = TestRoot(folder="")
"""What lies in no package."""
_NO_TESTS = 5


class Part(NamedTuple):
    """What one package gave."""

    root: TestRoot
    done: Completed
    suite: Suite
    broken: str


def parts_of(
    roots: Sequence[TestRoot],
    tree: Path,
    only: Collection[str] | None,
    files: Collection[str] = (),
) -> list[tuple[TestRoot, tuple[str, ...] | None]]:
    """Say in which folders pytest is started, and for what; of everything also what lies in no package.

    `files` hold all tests that are run, where they are known.
    """
    folders = {root.folder: root for root in roots}
    if only is None and files:
        held = dict.fromkeys(nearest(file, folders) or "" for file in files)
        return [(folders.get(folder, REST), None) for folder in held]
    if only is None:
        rest = [REST] if _outside(tree, folders) else []
        return [
            *((root, None) for root in roots if (tree / root.folder).is_dir()),
            *((each, None) for each in rest),
        ]
    shares: dict[str, list[str]] = {}
    for test in only:
        shares.setdefault(nearest(test.partition("::")[0], folders) or "", []).append(test)
    return [(folders.get(folder, REST), tuple(tests)) for folder, tests in shares.items()]


def _outside(tree: Path, folders: Collection[str]) -> bool:
    """Whether a tree holds files of tests outside some folders."""
    for place, inner, names in os.walk(tree):
        here = Path(place).relative_to(tree)
        inner[:] = [
            each
            for each in inner
            if not each.startswith(".") and each != FOLDER and (here / each).as_posix() not in folders
        ]
        if any(name.endswith(".py") and is_test_path((here / name).as_posix()) for name in names):
            return True
    return False


def inside(names: Iterable[str], root: TestRoot) -> tuple[str, ...]:
    """Return names of tests or files as pytest knows them in a folder, without those of other folders."""
    length = len(root.folder) + 1 if root.folder else 0
    return tuple(name[length:] for name in names if within(name.partition("::")[0], root.folder))


def together(parts: Sequence[Part], tree: Path) -> tuple[Completed, Suite, str]:
    """Put parts together: the worst end counts, and names begin at the root of the tree."""
    suite = Suite()
    for part in parts:
        _add(suite, part, tree)
    ended = all(part.suite.exit is not None for part in parts)
    done = max((part.done for part in parts), key=badness)
    suite.exit = done.exit_code if ended else None
    broken = "; ".join(f"in {part.root.folder or '.'}: {part.broken}" for part in parts if part.broken)
    whole_s = sum(part.done.duration_s for part in parts)
    return replace(done, duration_s=whole_s, started_at=parts[0].done.started_at), suite, broken


def badness(done: Completed) -> int:
    """Say how bad the end of a run is: of several the worst decides."""
    code = done.exit_code
    if code is None or code < 0:
        return 4
    return {0: 1, _NO_TESTS: 0, 1: 2}.get(code, 3)


def _add(whole: Suite, part: Part, tree: Path) -> None:
    suite, folder = part.suite, part.root.folder

    def named(test: str) -> str:
        return f"{folder}/{test}" if folder else test

    whole.version = whole.version or suite.version
    whole.patterns = tuple(dict.fromkeys((*whole.patterns, *suite.patterns)))
    whole.places = (*whole.places, *map(named, suite.places))
    whole.collected = (*whole.collected, *map(named, suite.collected))
    whole.outcomes |= {named(test): outcome for test, outcome in suite.outcomes.items()}
    whole.raised |= {named(test): _placed(raised, folder, tree) for test, raised in suite.raised.items()}
    whole.uncollected |= {named(file): why for file, why in suite.uncollected.items()}
    whole.skipped_files = (*whole.skipped_files, *map(named, suite.skipped_files))
    whole.internal_error = whole.internal_error or suite.internal_error
    whole.note = whole.note or suite.note
    whole.running = whole.running or (named(suite.running) if suite.running else "")
    if suite.loading is not None:
        loading = suite.loading
        whole.loading = loading.joined(whole.loading) if whole.loading else loading


def _placed(raised: Raised, folder: str, tree: Path) -> Raised:
    """Return why a test failed with its files named from the root of the tree."""

    def at(file: str) -> str:
        known = file and folder and not Path(file).is_absolute() and (tree / folder / file).is_file()
        return f"{folder}/{file}" if known else file

    frames = tuple(each.model_copy(update={"file": at(each.file)}) for each in raised.frames)
    return raised.model_copy(update={"file": at(raised.file), "frames": frames})


def ignored(root: TestRoot, roots: Sequence[TestRoot]) -> tuple[str, ...]:
    """Return the words that keep pytest at the root out of the packages."""
    below = () if root.folder else tuple(each.folder for each in roots)
    nested = tuple(
        each.folder[len(root.folder) + 1 :]
        for each in roots
        if root.folder and each.folder.startswith(f"{root.folder}/")
    )
    return tuple(f"--ignore={folder}" for folder in (*below, *nested))


def coverage_words(
    root: TestRoot, cover: tuple[str, ...], tree: Path, packages: Iterable[str]
) -> tuple[str, ...]:
    """Return the options of `coverage run` in a folder: its own settings, else all packages of the tree."""
    if root.coverage:
        return ("--branch",)
    folders = [str(tree / each) for each in packages if not each.endswith(".py")]
    source = (f"--source={','.join(folders)}",) if folders else cover
    return ("--rcfile=", "--branch", *(word for word in source if word != "--branch"))


def report_root(variables: Mapping[str, str], root: TestRoot, tree: Path) -> dict[str, str]:
    """Return the variables of a run in a folder, where the plug-in names files from the root of the tree."""
    imports = [str(tree / each) for each in root.imports]
    path = dict.fromkeys([*imports, *variables["PYTHONPATH"].split(":")])
    return {**variables, "PYTHONPATH": ":".join(path), "SETPOINT_REPORT_ROOT": str(tree)}
