"""What tests name of the user's tree and shell that git does not hold: it is proposed, or tried."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from setpoint.checks.needs.carried_files import ignored_files
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.config.local_needs import Needs
from setpoint.settings import whole_environment
from setpoint.system.environment import clean_environment
from setpoint.system.git.git import ask, names_of

_KEPT_BACK = re.compile(r"SETPOINT_.*|PYTHON.*|VIRTUAL_ENV|GIT_.*|HOME|PATH|(OLD)?PWD|TMPDIR|TE?MP|_|SHLVL")
"""Variables that say where a process runs, or belong to Setpoint."""
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_SETTINGS = re.compile(r"(?:^|/)(?:settings|config)(?:/[^/]+)?\.\w+$")
_QUOTED = r"""(?<=['"`/])(?:{})(?=['"`/])"""
_MOST_BYTES = 200_000


def variables_beside(root: Path, known: Collection[str]) -> list[str]:
    """List the variables of the user's shell that checks do not get."""
    usual = {*clean_environment(), *known}
    return [
        name
        for name, value in whole_environment().items()
        # What leads to the user's own tree would have its code measured instead of the work's.
        if not (_KEPT_BACK.fullmatch(name) or name in usual or str(root) in value)
    ]


def named_in(text: str, tracked: Iterable[str], there_is: Needs) -> Needs:
    """Return what a text names: files by their name or an ignored folder between quotes, and variables.

    >>> there_is = Needs(files=("corpus/b.txt", "tests/c.txt"), variables=("URL", "KEY"))
    >>> named_in('HERE / "corpus" / "tests", os.environ["URL"]', ["tests/test_a.py"], there_is)
    Needs(files=('corpus/b.txt',), variables=('URL',))
    """
    held = {path[:at] for path in tracked for at, sign in enumerate(path) if sign == "/"}
    parts = {path: set(_own_parts(path, held)) for path in there_is.files}
    any_part = "|".join(re.escape(each) for each in sorted(set().union(*parts.values())))
    named, words = (
        set(re.findall(_QUOTED.format(any_part), text)) if parts else set(),
        set(_WORD.findall(text)),
    )
    return Needs(
        files=tuple(path for path in parts if not named.isdisjoint(parts[path])),
        variables=tuple(name for name in there_is.variables if name in words),
    )


def _own_parts(path: str, held: Collection[str]) -> Iterator[str]:
    """Yield the name of a file and of the folders above it in which nothing is tracked."""
    folders = path.rstrip("/").split("/")
    yield folders[-1]
    yield from (name for at, name in enumerate(folders[:-1], 1) if "/".join(folders[:at]) not in held)


def texts_of(root: Path, paths: Iterable[str]) -> str:
    """Return the texts of files together, without those that are too large to be written by hand."""
    texts = []
    for path in paths:
        with contextlib.suppress(OSError):
            if (root / path).stat().st_size <= _MOST_BYTES:
                texts.append((root / path).read_text("utf-8", "replace"))
    return "\n".join(texts)


async def named_by_tests(root: Path) -> Needs:
    """Return the ignored files and the variables of the shell that tests and settings of a project name."""
    tracked = names_of((await ask(root, "ls-files", "-z")).stdout)
    asking = [path for path in tracked if is_test_path(path) or _SETTINGS.search(path)]
    text = await asyncio.to_thread(texts_of, root, asking)
    ignored = await ignored_files(root)
    there_is = Needs(files=tuple(ignored), variables=tuple(variables_beside(root, ())))
    named = named_in(text, tracked, there_is)
    if "dotenv" in text and ".env" in ignored:
        named = Needs(files=(".env",)).and_those(named)
    return named
