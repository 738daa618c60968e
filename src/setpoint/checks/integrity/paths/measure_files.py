"""Find files that belong to the measure though they lie apart from the tests.

The side of the tests are files of tests and the scripts that the own test command names. What it refers to
and the product does not belongs to it: data (expected output, golden files, caches of results) that it names,
and code that compares two values, which it imports. In doubt a file belongs to the product.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from setpoint.checks.integrity.paths.commands import DEFINING, checks
from setpoint.checks.integrity.paths.comparing_code import SUFFIXES
from setpoint.checks.integrity.paths.comparing_for_tests import compares_for_tests
from setpoint.checks.integrity.paths.named_paths import named_in
from setpoint.checks.integrity.paths.product_reads import (
    is_used,
    lists_ending,
    names_any,
    product_reads,
    stem_of,
)
from setpoint.checks.integrity.paths.read_by_tests import keeps
from setpoint.checks.integrity.paths.sources import (
    Side,
    Sources,
    configures,
    describes,
    is_data,
    is_program_text,
    may_be_expected,
)
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_program
from setpoint.system.git.git import ask, contents, files_at

_MOST_SOURCES = 400
"""Where more sources than these hold a name, it is too common to say anything."""
_MOST_NEEDLES = 200
_MOST_BESIDE = 50
_PLAIN = re.compile(r"[\w.-]+")


def of_measure(candidates: Iterable[str], known: Sources) -> frozenset[str]:
    """Return those of some paths that belong to the measure."""
    if not known.programs:  # what tests look at is all there is
        return frozenset()
    found = set[str]()
    for path in candidates:
        if is_test_path(path):
            continue
        if path in known.side.scripts:
            found |= {path} if not is_used(path, known) else set()
        elif is_data(path):
            found |= {path} if _data_of_tests(path, known) else set()
        elif may_be_expected(path):
            found |= {path} if _expected_of_tests(path, known) else set()
        elif path in known.files and path.endswith(SUFFIXES) and compares_for_tests(path, known):
            found.add(path)
    return frozenset(found)


def _data_of_tests(path: str, known: Sources) -> bool:
    new = path not in known.files
    if new and _has_its_like(path, known.files):
        return False  # one more of what is there is an addition to the tests
    folders = {
        each.rpartition("/")[2]: each
        for each in reversed(known.own_folders(path))
        if each.rpartition("/")[2] not in known.folders_of_tests
    }
    name = path.rpartition("/")[2]
    named, own = False, set[str]()
    for source, texts in known.named_by_tests.items():
        by_name = any(each.parts[-1:] == (name,) for each in texts)
        if by_name and new and is_test_path(source):
            return False  # what a test asks for by its name is to be made
        named = named or by_name
        own |= {folders[part] for each in texts for part in each.folders() if part in folders}
    if not (named or own):
        return False
    folder = min(own, key=len, default="")
    kept = bool(folder) and keeps(folder.rpartition("/")[2], known)
    return not product_reads(path, known, owned=folder if kept else "")


def _expected_of_tests(path: str, known: Sources) -> bool:
    """Whether a file that a framework could read by its place is of the tests: no one else speaks of it."""
    folder = next(iter(known.own_folders(path)), "")
    name = folder.rpartition("/")[2]
    if not folder or name in known.folders_of_tests or path not in known.files:
        return False
    if product_reads(path, known, owned=folder) or _is_described(folder, known):
        return False
    return not (names_any(folder, known) or lists_ending(path, known)) and keeps(name, known)


def _is_described(folder: str, known: Sources) -> bool:
    """Whether a document or the CI speaks of a folder."""
    spoken = re.compile(rf"(?<![\w.-]){re.escape(folder.rpartition('/')[2])}/")
    return any(
        spoken.search(text) is not None
        for source, text in known.described.items()
        if not source.startswith(f"{folder}/")
    )


def _has_its_like(path: str, files: Collection[str]) -> bool:
    folder, suffix = path.rpartition("/")[0], Path(path).suffix
    return bool(suffix) and any(
        each.rpartition("/")[0] == folder and Path(each).suffix == suffix for each in files
    )


async def measure_files(
    root: Path | str, base: str, paths: Collection[str], files: Collection[str], commands: tuple[str, ...]
) -> frozenset[str]:
    """Return those of some changed paths that belong to the measure, by what a commit says.

    Args:
        root: A repository that holds the commit.
        base: The commit.
        paths: The paths to judge; those that are new are judged by their place.
        files: Every path of the commit.
        commands: The project's own test commands.

    """
    scripts = await _scripts(root, base, files, commands)
    wanted = [
        path
        for path in paths
        if not is_test_path(path)
        and (path in scripts or is_data(path) or (path in files and _is_judged(path)))
    ]
    known = await _sources(root, base, wanted, files, Side(commands=commands, scripts=scripts))
    return of_measure(wanted, known) if known else frozenset()


async def unread_data(root: Path | str, base: str, paths: Iterable[str]) -> frozenset[str]:
    """Return those of some changed paths that are data of which no code or manifest of a commit speaks.

    Where a project holds no code, its data is the product, and none is returned.
    """
    files = await files_at(root, base)
    wanted = [path for path in paths if is_data(path) and not is_test_path(path)]
    known = await _sources(root, base, wanted, files, Side())
    if known is None or not known.programs:
        return frozenset()
    return frozenset(path for path in wanted if not product_reads(path, known))


async def sources_on(
    root: Path | str, base: str, wanted: Collection[str], files: Collection[str], commands: tuple[str, ...]
) -> Sources | None:
    """Read what a commit says of some paths; none where that is nothing, or too much to say anything."""
    scripts = await _scripts(root, base, files, commands)
    return await _sources(root, base, wanted, files, Side(commands=commands, scripts=scripts))


async def _sources(
    root: Path | str, base: str, wanted: Collection[str], files: Collection[str], side: Side
) -> Sources | None:
    """Read what may speak of some paths; none where that is nothing, or too much to say anything."""
    needles = sorted({part for path in wanted for part in _needles(path)})
    if not wanted or len(needles) > _MOST_NEEDLES:
        return None
    hits = await _holding(root, base, "-F", needles)
    near = [path for path in files if is_program(path) and _above(path, wanted)]
    sources = {path for path in (*hits, *near) if is_program_text(path) or configures(path)}
    asked = {*sources, *side.scripts, *(path for path in wanted if path.endswith(SUFFIXES))}
    if len(asked) > _MOST_SOURCES:
        return None
    beside = await _holding(root, base, "-E", _beside(wanted, files))
    asked |= {path for path in beside if is_program(path) or configures(path)}
    asked |= {path for path in hits if any(map(may_be_expected, wanted)) and describes(path)}
    held = await contents(root, base, sorted(asked))
    texts = {path: text.decode("utf-8", "replace") for path, text in held.items()}
    return Sources(files=files, texts=texts, side=side)


async def _holding(root: Path | str, base: str, kind: str, patterns: Collection[str]) -> list[str]:
    if not patterns:
        return []
    words = [word for each in patterns for word in ("-e", each)]
    found = await ask(root, "grep", "-l", "-z", "-I", kind, *words, base)
    names = found.stdout.decode("utf-8", "surrogateescape").split("\0")
    return [name.removeprefix(f"{base}:") for name in names if name]


def _beside(wanted: Collection[str], files: Collection[str]) -> list[str]:
    """Return patterns of what code may say of such files: an ending put onto a name, or a neighbour."""
    data = [path for path in wanted if is_data(path) or may_be_expected(path)]
    endings = {"".join(Path(path).suffixes[-1:]) for path in data}
    folders = {path.partition("/")[0] for path in data if may_be_expected(path)}
    inside = sorted(path for path in files if path.partition("/")[0] in folders and may_be_expected(path))
    held = sorted({path.rpartition("/")[2] for path in inside})[:_MOST_BESIDE]
    made = [
        rf"([\"'`}}*)>]|%[a-z]|[$:][a-zA-Z_]+){_escaped(each)}" for each in endings if _PLAIN.fullmatch(each)
    ]
    return [*made, *(_escaped(each) for each in held if _PLAIN.fullmatch(each))]


def _escaped(text: str) -> str:
    return text.replace(".", "[.]")


def _is_judged(path: str) -> bool:
    return path.endswith(SUFFIXES) or may_be_expected(path)


def _needles(path: str) -> Iterator[str]:
    *folders, name = path.split("/")
    yield from (name, *folders)
    if stem := stem_of(path):
        yield stem


def _above(program: str, wanted: Iterable[str]) -> bool:
    here = program.rpartition("/")[0]
    return bool(here) and any(path.startswith(f"{here}/") for path in wanted if is_data(path))


async def _scripts(
    root: Path | str, base: str, files: Collection[str], commands: tuple[str, ...]
) -> frozenset[str]:
    """Return the scripts that commands name and that check the project, by name or by what they name."""
    words = [each for command in commands for each in named_in("command.sh", command)]
    entered = {"", *(f"{after.text.strip('/')}/" for word, after in pairwise(words) if word.text == "cd")}
    paths = ["/".join(each.parts) for each in words if each.parts and each.parts[-1] not in DEFINING]
    named = {f"{folder}{path}" for folder in entered for path in paths}
    there = sorted(path for path in named & set(files) if is_program_text(path))
    if not there:
        return frozenset()
    texts = await contents(root, base, there)
    return frozenset(
        path
        for path, held in texts.items()
        if any(map(checks, path.split("/"))) or _names_tests(path, held.decode("utf-8", "replace"))
    )


def _names_tests(path: str, text: str) -> bool:
    return any(is_test_path(each.text) for each in named_in(path, text) if "/" in each.text)
