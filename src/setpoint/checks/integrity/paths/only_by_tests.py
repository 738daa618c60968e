"""Find files that tests alone seem to use, though the base does not say it plainly enough to protect them.

Files of the measure are restored, so doubt is left to the product there. Here nothing is restored: what these
files are for is measured, by running the tests with the files as they were at the base.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from setpoint.checks.integrity.paths.comparing_for_tests import refers
from setpoint.checks.integrity.paths.measure_files import sources_on
from setpoint.checks.integrity.paths.product_reads import is_declared, is_used, product_reads
from setpoint.checks.integrity.paths.read_by_tests import keeps
from setpoint.checks.integrity.paths.sources import DECLARED, Sources, is_data, is_given, is_of_ci
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_program

_SUFFIXES = (".py", ".js", ".jsx", ".cjs", ".mjs", ".ts", ".tsx", ".cts", ".mts", ".sh", ".bash")
"""Languages of which it is known who loads a file."""


async def only_by_tests(
    root: Path | str, base: str, paths: Collection[str], files: Collection[str], commands: tuple[str, ...]
) -> dict[str, bool]:
    """Return paths of a commit that tests read or load and no code of the product does.

    Each is given with whether it is less certain: a document speaks of its folder, or it is code.

    Args:
        root: A repository that holds the commit.
        base: The commit.
        paths: The paths to judge; those that are new, and tests themselves, are left out.
        files: Every path of the commit.
        commands: The project's own test commands.

    """
    wanted = [path for path in paths if path in files and not is_test_path(path) and _is_judged(path)]
    known = await sources_on(root, base, wanted, files, commands)
    if known is None or not known.programs:
        return {}
    return {
        path: is_program(path) or _is_described(path, known)
        for path in wanted
        if used_by_tests_alone(path, known)
    }


def used_by_tests_alone(path: str, known: Sources) -> bool:
    """Whether tests read data or load code, the product does not, and they test other code (elsewhere)."""
    if path in known.side.scripts:
        return False
    if not is_program(path):
        return any(keeps(each, known) for each in _names(path, known)) and not _is_of_product(path, known)
    if not _is_apart(path) or is_used(path, known) or is_declared(path, known):
        return False
    users = [source for source in known.tests if source != path and refers(source, path, known)]
    here = f"{path.partition('/')[0]}/"
    others = [other for other in known.programs if not other.startswith(here)]
    return any(refers(source, other, known) for source in users for other in others)


def _is_apart(path: str) -> bool:
    """Whether a file lies in a folder in which projects do not keep what others import."""
    return "/" in path and path.partition("/")[0] not in DECLARED


def _is_judged(path: str) -> bool:
    return path.endswith(_SUFFIXES) if is_program(path) else is_data(path) or is_given(path)


def _names(path: str, known: Sources) -> Iterator[str]:
    *folders, name = path.split("/")
    yield name
    yield from (each for each in folders if each not in known.folders_of_tests)


def _is_of_product(path: str, known: Sources) -> bool:
    """Whether code, a manifest or the CI names a data file or a folder of it, or lists the folder."""
    folder = next(iter(known.own_folders(path)), "")
    if product_reads(path, known, owned=folder or path, stems=False):
        return True
    return _is_spoken_of(path, (text for source, text in known.described.items() if is_of_ci(source)))


def _is_described(path: str, known: Sources) -> bool:
    return _is_spoken_of(path, known.described.values())


def _is_spoken_of(path: str, texts: Iterable[str]) -> bool:
    """Whether a text names a file, or a folder of it as a folder."""
    *folders, name = path.split("/")
    words = "|".join([*(re.escape(f"{each}/") for each in folders), rf"{re.escape(name)}\b"])
    spoken = re.compile(rf"(?<![\w.-])(?:{words})")
    return any(spoken.search(text) is not None for text in texts)
