"""Python packages below the root that run pytest each on its own, with their own configuration."""

from __future__ import annotations

import configparser
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from setpoint.checks.discovery.workspaces import nearest
from setpoint.model.changes.test_paths import is_test_path

_MARKS = (
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
)
"""Files that make a folder one in which people start pytest."""
_OF_PYTEST = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
READ_BELOW = frozenset({"setup.cfg", "tox.ini", ".coveragerc"})
"""Files of such a folder that may configure pytest or coverage, beside `pyproject.toml`."""


@dataclass(frozen=True, kw_only=True)
class TestRoot:
    """A folder in which pytest is started."""

    __test__ = False
    folder: str
    """Empty for what lies in no package."""
    imports: tuple[str, ...] = ()
    """Folders of the tree from which its code is imported."""
    configured: str = ""
    """The file in it that configures pytest; empty: none."""
    coverage: bool = False
    """Whether it has settings of its own for coverage."""


def test_roots(files: Iterable[str], texts: Mapping[str, str]) -> tuple[TestRoot, ...]:
    """Return the folders below the root in which pytest runs apart; none where one run at the root will do.

    That is where one of them configures pytest, or several have a `src` of their own or files of tests of
    the same name, which one process cannot import. It is asked only where the root configures nothing.
    """
    known = tuple(files)
    marked = {file.rpartition("/")[0] for file in known if file.rpartition("/")[2] in _MARKS}
    folders = {each for each in marked if each and not is_test_path(f"{each}/x.py")}
    held: dict[str, list[str]] = {}
    for file in known:
        if file.endswith(".py") and is_test_path(file) and (owner := nearest(file, folders)) is not None:
            held.setdefault(owner, []).append(file[len(owner) + 1 :])
    roots = tuple(_root(folder, known, texts) for folder in sorted(held))
    apart = len(roots) > 1 and (any(_from_src(each) for each in roots) or _clash(held.values()))
    return roots if apart or any(each.configured for each in roots) else ()


def _root(folder: str, files: tuple[str, ...], texts: Mapping[str, str]) -> TestRoot:
    src = any(file.startswith(f"{folder}/src/") and file.endswith(".py") for file in files)
    from_src = src and f"{folder}/src/__init__.py" not in files
    return TestRoot(
        folder=folder,
        imports=(f"{folder}/src", folder) if from_src else (folder,),
        configured=_configured(folder, files, texts),
        coverage=_coverage(folder, texts),
    )


def _from_src(root: TestRoot) -> bool:
    return len(root.imports) > 1


def _clash(held: Iterable[list[str]]) -> bool:
    """Whether two packages hold a file of tests of the same path."""
    seen: set[str] = set()
    for names in held:
        if not seen.isdisjoint(names):
            return True
        seen |= set(names)
    return False


def _configured(folder: str, files: tuple[str, ...], texts: Mapping[str, str]) -> str:
    own = [f"{folder}/{name}" for name in _OF_PYTEST]
    found = [file for file in own if file in files]
    found += (
        [f"{folder}/pyproject.toml"] if "pytest" in _tool(texts.get(f"{folder}/pyproject.toml", "")) else []
    )
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if section in _sections(texts.get(f"{folder}/{name}", "")):
            found.append(f"{folder}/{name}")
    return found[0] if found else ""


def _coverage(folder: str, texts: Mapping[str, str]) -> bool:
    """Whether coverage finds settings in a folder; data with paths from there could not be put together."""
    mine = [
        texts.get(f"{folder}/{name}", "")
        for name in (".coveragerc", "pyproject.toml", "setup.cfg", "tox.ini")
    ]
    if any("relative_files" in text for text in mine):
        return False
    sections = (name for text in mine[2:] for name in _sections(text))
    return (
        f"{folder}/.coveragerc" in texts
        or "coverage" in _tool(mine[1])
        or any(each.startswith("coverage:") for each in sections)
    )


def _tool(text: str) -> Mapping[str, object]:
    try:
        held = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError:
        return {}  # pytest itself will say so
    return held if isinstance(held, dict) else {}


def _sections(text: str) -> Iterator[str]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    yield from parser.sections()
