"""Find files that belong to the measure though they lie apart from the tests.

The side of the tests are files of tests and the scripts that the own test command names. What it refers to
and the product does not belongs to it: data (expected output, golden files, caches of results) that it names,
and code that compares two values, which it imports. In doubt a file belongs to the product.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from setpoint.checks.integrity.paths.commands import DEFINING, checks
from setpoint.checks.integrity.paths.comparing_code import SUFFIXES, compares, wants_failure
from setpoint.checks.integrity.paths.named_paths import Named, named_in
from setpoint.model import syntax
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_document, is_program, runs
from setpoint.system.git.git import ask, contents, files_at

_MOST_SOURCES = 400
"""Where more sources than these hold a name, it is too common to say anything."""
_MOST_NEEDLES = 200
_LEAST_STEM = 3
_NOT_DATA = re.compile(
    r"(?:^|/)\.[^/]*$|(?:^|/)(?:Dockerfile|Containerfile|Jenkinsfile|Vagrantfile|Procfile|[Mm]akefile|GNUmakefile)[^/]*$"
    r"|\.(?:ya?ml|toml|ini|cfg|conf|env|properties|lock|mk|html?|css|s[ac]ss|less|graphql|proto|tf|tfvars|hcl|xsd"
    r"|jinja2?|j2|tmpl|tpl|hbs|ejs|mustache)$"
)
"""Configuration, templates, styles and contracts: frameworks read them without a name in the code."""
_MANIFEST = re.compile(
    r"(?:^|/)(?:package\.json|pyproject\.toml|setup\.cfg|MANIFEST\.in|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?"
    r"|[Mm]akefile|GNUmakefile|\.?[Jj]ustfile|Dockerfile|[^/]+\.gemspec|composer\.json)$"
)
_OF_CI = re.compile(r"(?:^|/)\.|(?:^|/)(?:azure-pipelines|codecov)\.yml$")
_LISTS = re.compile(
    r"\b(?:glob|rglob|iterdir|listdir|scandir|os\.walk|readdir(?:Sync)?|ReadDir|WalkDir|read_dir|require\.context"
    r"|include_dir|opendir)\b|\bfor\s+\w+\s+in\s+\S*\*"
)
_LOADS = r"(?:\b(?:import|require|from|source|include|load|use|mod)\b|[./\"'])[^\n]*\b{stem}\b"
_DECLARED = ("src", "lib")


@dataclass(frozen=True, kw_only=True)
class Side:
    """What is on the side of the tests beside the files of tests."""

    commands: tuple[str, ...] = ()
    """The project's own test commands."""
    scripts: frozenset[str] = frozenset()
    """Scripts that these commands name and that check the project."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """What the base says about some files."""

    files: Collection[str]
    """Every path of the base."""
    texts: Mapping[str, str]
    """The sources and manifests of the base that may name them, by path."""
    side: Side = Side()

    def is_test(self, path: str) -> bool:
        """Whether a source is on the side of the tests."""
        return is_test_path(path) or path in self.side.scripts

    @cached_property
    def tests(self) -> dict[str, str]:
        """Return the sources on the side of the tests; the commands count as one."""
        found = {path: text for path, text in self.texts.items() if self.is_test(path) and _is_source(path)}
        return found | {"test command": "\n".join(self.side.commands)}

    @cached_property
    def product(self) -> dict[str, str]:
        """Return the sources and manifests on the other side, without what a manifest says of tests."""
        other = {path: text for path, text in self.texts.items() if not self.is_test(path)}
        programs = {path: text for path, text in other.items() if is_program(path)}
        return programs | {path: self._untested(other[path]) for path in other if _configures(path)}

    def _untested(self, text: str) -> str:
        said = [
            line.strip() for each in self.side.commands for line in re.split(r"\n|&&", each) if line.strip()
        ]
        return "\n".join(line for line in text.splitlines() if not any(each in line for each in said))

    @cached_property
    def programs(self) -> frozenset[str]:
        """Return the code of the base that is on the other side."""
        return frozenset(path for path in self.files if is_program(path) and not self.is_test(path))

    @cached_property
    def folders_of_tests(self) -> frozenset[str]:
        """Return the names of folders in which tests keep what is theirs."""
        return frozenset(part for path in self.files if is_test_path(path) for part in path.split("/")[:-1])

    @cached_property
    def named_by_tests(self) -> dict[str, list[Named]]:
        """Return what each source on the side of the tests names."""
        return {path: list(named_in(_read_as(path), text)) for path, text in self.tests.items()}


def of_measure(candidates: Iterable[str], known: Sources) -> frozenset[str]:
    """Return those of some paths that belong to the measure."""
    if not known.programs:  # what tests look at is all there is
        return frozenset()
    found = set[str]()
    for path in candidates:
        if is_test_path(path):
            continue
        if path in known.side.scripts:
            found |= {path} if not _used(path, known) else set()
        elif is_data(path):
            found |= {path} if _data_of_tests(path, known) else set()
        elif path in known.files and path.endswith(SUFFIXES) and _compares_for_tests(path, known):
            found.add(path)
    return frozenset(found)


def is_data(path: str) -> bool:
    """Whether a file holds no functions, no configuration and no documentation of the project."""
    if _NOT_DATA.search(path) or is_program(path):
        return False
    if is_document(path):  # outside the root, a text that is not a README may be expected output
        return "/" in path and not is_document(f"{path.rpartition('.')[0]}.txt") and "." in path
    return runs(path)


def _configures(path: str) -> bool:
    """Whether a file is a manifest, configuration or a template, by which the product may read others."""
    return _MANIFEST.search(path) is not None or (
        _NOT_DATA.search(path) is not None and _OF_CI.search(path) is None
    )


def _is_source(path: str) -> bool:
    return is_program_text(path) or "." not in path.rpartition("/")[2]


def is_program_text(path: str) -> bool:
    """Whether a path is one of a program, also where it belongs to the tests."""
    return is_program(f"x{Path(path).suffix}")


def _read_as(path: str) -> str:
    return path if "." in path.rpartition("/")[2] else f"{path}.sh"


def _data_of_tests(path: str, known: Sources) -> bool:
    new = path not in known.files
    if new and _has_its_like(path, known.files):
        return False  # one more of what is there is an addition to the tests
    folders = _own_folders(path, known)
    name = path.rpartition("/")[2]
    named = False
    for source, texts in known.named_by_tests.items():
        by_name = any(each.parts[-1:] == (name,) for each in texts)
        if by_name and new and is_test_path(source):
            return False  # what a test asks for by its name is to be made
        named = named or by_name or any(not folders.isdisjoint(each.folders()) for each in texts)
    return named and not _product_reads(path, known)


def _has_its_like(path: str, files: Collection[str]) -> bool:
    folder, suffix = path.rpartition("/")[0], Path(path).suffix
    return bool(suffix) and any(
        each.rpartition("/")[0] == folder and Path(each).suffix == suffix for each in files
    )


def _own_folders(path: str, known: Sources) -> frozenset[str]:
    """Return the folders of a path without code of the product, whose names no folder of tests has."""
    parts = path.split("/")[:-1]
    found = set[str]()
    for count, part in enumerate(parts, start=1):
        inside = "/".join(parts[:count]) + "/"
        if part not in known.folders_of_tests and not any(each.startswith(inside) for each in known.programs):
            found.add(part)
    return frozenset(found)


def _product_reads(path: str, known: Sources) -> bool:
    """Whether code or a manifest names a file, its stem or a folder of it, or lists the folder it lies in."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    wanted = {*folders, name} | ({stem} if len(stem) >= _LEAST_STEM else set())
    for source, text in known.product.items():
        here = source.rpartition("/")[0]
        near = bool(here) and path.startswith(f"{here}/")
        if near and _LISTS.search(text):
            return True
        for each in named_in(_read_as(source), text):
            parts = each.parts
            if not wanted.isdisjoint(parts):
                return True
            last = parts[-1] if parts else ""
            if "*" in last and last.strip("*") and fnmatch(name, last):
                return True
            if near and last.startswith(".") and name.endswith(last):
                return True
    return False


def _compares_for_tests(path: str, known: Sources) -> bool:
    folder = path.rpartition("/")[0]
    if not folder or folder.split("/")[0] in _DECLARED or not compares(path, known.texts.get(path, "")):
        return False
    if _used(path, known) or _declared(path, known):
        return False
    users = [source for source in known.tests if source != path and _refers(source, path, known)]
    if any(wants_failure(known.tests[source]) for source in users):
        return False
    return any(_refers(source, other, known) for source in users for other in known.programs if other != path)


def _used(path: str, known: Sources) -> bool:
    """Whether other code of the product loads a file, by any word that looks like it."""
    stem = re.escape(path.rpartition("/")[2].partition(".")[0])
    pattern = re.compile(_LOADS.format(stem=stem))
    return any(
        source != path and is_program(source) and pattern.search(text) is not None
        for source, text in known.product.items()
    )


def _declared(path: str, known: Sources) -> bool:
    """Whether a manifest names a file or its folder."""
    *folders, name = path.split("/")
    words = "|".join(re.escape(each) for each in (*folders, name.partition(".")[0]))
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])")
    return any(
        _MANIFEST.search(source) and pattern.search(text) is not None
        for source, text in known.product.items()
    )


def _refers(source: str, path: str, known: Sources) -> bool:
    """Whether a source of the tests imports, requires or sources a file."""
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    if source.endswith(".py"):
        return path.endswith(".py") and stem in _imported(known.tests[source])
    given = [each.parts[-1] for each in known.named_by_tests[source] if each.parts]
    if path.endswith((".sh", ".bash")):
        return name in given
    return name in given or stem in given


def _imported(text: str) -> frozenset[str]:
    try:
        module = syntax.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    found = set[str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {part for each in node.names for part in each.name.split(".")}
        elif isinstance(node, ast.ImportFrom):
            found |= {*(node.module or "").split("."), *(each.name for each in node.names)}
    return frozenset(found)


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
        and (path in scripts or is_data(path) or (path in files and path.endswith(SUFFIXES)))
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
    return frozenset(path for path in wanted if not _product_reads(path, known))


async def _sources(
    root: Path | str, base: str, wanted: Collection[str], files: Collection[str], side: Side
) -> Sources | None:
    """Read what may speak of some paths; none where that is nothing, or too much to say anything."""
    needles = sorted({part for path in wanted for part in _needles(path)})
    if not wanted or len(needles) > _MOST_NEEDLES:
        return None
    words = [word for each in needles for word in ("-e", each)]
    found = await ask(root, "grep", "-l", "-z", "-I", "-F", *words, base)
    names = found.stdout.decode("utf-8", "surrogateescape").split("\0")
    hits = [name.removeprefix(f"{base}:") for name in names if name]
    near = [path for path in files if is_program(path) and _above(path, wanted)]
    sources = [path for path in (*hits, *near) if is_program_text(path) or _configures(path)]
    asked = {*sources, *side.scripts, *(path for path in wanted if path.endswith(SUFFIXES))}
    if len(asked) > _MOST_SOURCES:
        return None
    held = await contents(root, base, sorted(asked))
    texts = {path: text.decode("utf-8", "replace") for path, text in held.items()}
    return Sources(files=files, texts=texts, side=side)


def _needles(path: str) -> Iterator[str]:
    *folders, name = path.split("/")
    yield from (name, *folders)
    if len(stem := name.partition(".")[0]) >= _LEAST_STEM:
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
