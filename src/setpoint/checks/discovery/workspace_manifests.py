"""Reading the packages of a repository from its manifests: npm, pnpm, yarn, Cargo, Go, uv, Poetry."""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import yaml

from setpoint.checks.discovery.linked_packages import FOLDER
from setpoint.checks.discovery.workspaces import Package, Workspaces, nearest

WORKSPACE_FILES = ("pnpm-workspace.yaml",)
"""Files at the root that name packages and are none themselves."""
_GO_WORK = "go.work"
"""The same of Go, in any folder."""
_LANGUAGES = {"package.json": "javascript", "Cargo.toml": "rust", "go.mod": "go", "pyproject.toml": "python"}
_SCRIPT_NEEDS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_CRATE_NEEDS = ("dependencies", "dev-dependencies", "build-dependencies")
_PROTOCOL = re.compile(r"(?:file|link|portal):(?P<path>.+)")
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_REQUIRED = re.compile(
    r"^\s*(?:require\s+)?([\w./~-]+\.[\w./~-]+|[\w.-]+(?:/[\w./~-]+)*)\s+v\d", re.MULTILINE
)
_REPLACED = re.compile(r"=>\s*(\.{1,2}/\S*)")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
MOST = 400
"""Packages that are read at most, those nearest to the root."""


def package_manifests(files: Iterable[str]) -> list[str]:
    """Name the files that make a folder a package, and those that say which belong together."""
    known = tuple(files)
    named = (f for f in known if f.rpartition("/")[2] in _LANGUAGES and FOLDER not in f.split("/"))
    first = sorted(named, key=_depth)[:MOST]
    work = sorted(filter(_names_modules, known), key=_depth)[:MOST]
    return [*first, *(file for file in WORKSPACE_FILES if file in known), *work]


def read_workspaces(texts: Mapping[str, str]) -> Workspaces:
    """Read the packages; `texts` holds what `package_manifests` names."""
    paths = sorted((file for file in texts if file.rpartition("/")[2] in _LANGUAGES), key=_depth)
    by_language: dict[str, list[str]] = {}
    for path in paths:
        by_language.setdefault(_LANGUAGES[path.rpartition("/")[2]], []).append(path)
    readers = {"javascript": _scripts, "rust": _crates, "go": _modules, "python": _python}
    found = [
        package for language, files in by_language.items() for package in readers[language](files, texts)
    ]
    return Workspaces(packages=tuple(sorted(found, key=lambda each: (each.folder.count("/"), each.folder))))


def _depth(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _scripts(files: list[str], texts: Mapping[str, str]) -> Iterator[Package]:
    manifests = {_folder(file): _json(texts[file]) for file in files}
    patterns = _patterns(manifests.get("", {}), texts.get("pnpm-workspace.yaml", ""))
    if patterns:
        manifests = {each: held for each, held in manifests.items() if not each or _named(each, patterns)}
    names = {_text(held.get("name")): folder for folder, held in manifests.items() if held.get("name")}
    for folder, held in manifests.items():
        wanted = {key: value for kind in _SCRIPT_NEEDS for key, value in _table(held.get(kind)).items()}
        needs = {names[each] for each in wanted if each in names}
        needs |= {_joined(folder, found["path"]) for each in wanted.values() if (found := _by_path(each))}
        yield Package(
            folder=folder,
            manifest=f"{folder}/package.json".lstrip("/"),
            language="javascript",
            name=_text(held.get("name")),
            needs=frozenset(needs & manifests.keys() - {folder, ""}),
            workspace="" if patterns and folder else None,
        )


def _by_path(version: object) -> re.Match[str] | None:
    return _PROTOCOL.fullmatch(version) if isinstance(version, str) else None


def _patterns(root: Mapping[str, Any], pnpm: str) -> list[str]:
    """Return what the root names as members, of npm, yarn and pnpm."""
    asked = root.get("workspaces")
    asked = asked.get("packages") if isinstance(asked, dict) else asked
    try:
        held = yaml.safe_load(pnpm) if pnpm else {}
    except yaml.YAMLError:
        held = {}
    more = held.get("packages") if isinstance(held, dict) else []
    both = [*(asked if isinstance(asked, list) else []), *(more if isinstance(more, list) else [])]
    return [each for each in both if isinstance(each, str)]


def _crates(files: list[str], texts: Mapping[str, str]) -> Iterator[Package]:
    manifests = {_folder(file): _toml(texts[file]) for file in files}
    for folder, held in manifests.items():
        if "package" not in held:
            continue
        root = _workspace_of(folder, manifests)
        shared = _table(_table(manifests.get(root or "", {}).get("workspace")).get("dependencies"))
        needs = set()
        for name, value in _crate_needs(held):
            at, given = folder, _table(value)
            if given.get("workspace") is True:
                at, given = root or "", _table(shared.get(name))
            if isinstance(given.get("path"), str):
                needs.add(_joined(at, given["path"]))
        yield Package(
            folder=folder,
            manifest=f"{folder}/Cargo.toml".lstrip("/"),
            language="rust",
            name=_text(_table(held["package"]).get("name")),
            needs=frozenset(needs & manifests.keys() - {folder}),
            workspace=root,
        )


def _workspace_of(folder: str, manifests: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return the folder of the workspace of a crate; none where it is in none."""
    above = [each for each in manifests if _inside(folder, each) and "workspace" in manifests[each]]
    for root in sorted(above, key=len, reverse=True):
        table = _table(manifests[root]["workspace"])
        below = folder[len(root) :].lstrip("/")
        if not below:
            return root
        out = [each for each in _list(table.get("exclude")) if _inside(below, each.rstrip("/"))]
        members = _list(table.get("members"))
        by_path = {_joined(root, _text(_table(value).get("path"))) for value in _path_needs(manifests[root])}
        if not out and (_named(below, members) or folder in by_path):
            return root
    return None


def _path_needs(held: Mapping[str, Any]) -> Iterator[object]:
    yield from (value for _, value in _crate_needs(held) if "path" in _table(value))


def _crate_needs(held: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for table in (held, *map(_table, _table(held.get("target")).values())):
        for kind in _CRATE_NEEDS:
            yield from _table(table.get(kind)).items()


def _modules(files: list[str], texts: Mapping[str, str]) -> Iterator[Package]:
    manifests = {_folder(file): texts[file] for file in files}
    names = {found[1]: folder for folder, text in manifests.items() if (found := _MODULE.search(text))}
    work = {_folder(file): set(_used(file, texts[file])) for file in texts if _names_modules(file)}
    for folder, text in manifests.items():
        needs = {names[each] for each in _REQUIRED.findall(text) if each in names}
        needs |= {_joined(folder, each) for each in _REPLACED.findall(text)}
        name = next((each for each, where in names.items() if where == folder), "")
        above = nearest(folder, work)
        yield Package(
            folder=folder,
            manifest=f"{folder}/go.mod".lstrip("/"),
            language="go",
            name=name,
            needs=frozenset(needs & manifests.keys() - {folder}),
            workspace=above if above is not None and folder in work[above] else None,
            unused=above is not None and folder not in work[above],
        )


def _names_modules(file: str) -> bool:
    return file.rpartition("/")[2] == _GO_WORK


def _used(file: str, text: str) -> Iterator[str]:
    """Yield the folders that a go.work uses."""
    inside = False
    for line in text.splitlines():
        words = line.partition("//")[0].split()
        if words[:2] == ["use", "("]:
            inside = True
        elif words == [")"]:
            inside = False
        elif words and (inside or words[0] == "use"):
            yield _joined(_folder(file), words[-1].strip('"`'))


def _python(files: list[str], texts: Mapping[str, str]) -> Iterator[Package]:
    manifests = {_folder(file): _toml(texts[file]) for file in files}
    names = {_plain(name): folder for folder, held in manifests.items() if (name := _python_name(held))}
    members = _table(_table(_table(manifests.get("", {}).get("tool")).get("uv")).get("workspace"))
    listed, out = _list(members.get("members")), _list(members.get("exclude"))
    for folder, held in manifests.items():
        needs = {names[each] for each in _python_needs(held) if each in names}
        needs |= {_joined(folder, each) for each in _python_paths(held)}
        member = folder and _named(folder, listed) and not _named(folder, out)
        yield Package(
            folder=folder,
            manifest=f"{folder}/pyproject.toml".lstrip("/"),
            language="python",
            name=_python_name(held),
            needs=frozenset(needs & manifests.keys() - {folder, ""}),
            workspace="" if member else None,
        )


def _python_name(held: Mapping[str, Any]) -> str:
    poetry = _table(_table(held.get("tool")).get("poetry"))
    return _text(_table(held.get("project")).get("name")) or _text(poetry.get("name"))


def _python_needs(held: Mapping[str, Any]) -> Iterator[str]:
    project, tool = _table(held.get("project")), _table(held.get("tool"))
    groups = (
        *_table(project.get("optional-dependencies")).values(),
        *_table(held.get("dependency-groups")).values(),
    )
    uv = _table(tool.get("uv"))
    for each in (project.get("dependencies"), uv.get("dev-dependencies"), *groups):
        for word in _list(each):
            if found := _REQUIREMENT.match(word.strip()):
                yield _plain(found[0])
    poetry = _table(tool.get("poetry"))
    tables = (poetry, *map(_table, _table(poetry.get("group")).values()))
    for table in tables:
        yield from map(_plain, (*_table(table.get("dependencies")), *_table(table.get("dev-dependencies"))))
    yield from map(_plain, _table(uv.get("sources")))


def _python_paths(held: Mapping[str, Any]) -> Iterator[str]:
    tool = _table(held.get("tool"))
    poetry = _table(_table(tool.get("poetry")).get("dependencies"))
    for each in (*_table(_table(tool.get("uv")).get("sources")).values(), *poetry.values()):
        if isinstance(path := _table(each).get("path"), str):
            yield path


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _named(folder: str, patterns: Iterable[str]) -> bool:
    """Whether patterns of a workspace take a folder; the last that fits decides, as in pnpm."""
    taken = False
    for pattern in patterns:
        wanted = posixpath.normpath(pattern.lstrip("!"))
        if _fits(folder.split("/"), wanted.split("/")):
            taken = not pattern.startswith("!")
    return taken


def _fits(parts: list[str], pattern: list[str]) -> bool:
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_fits(parts[start:], pattern[1:]) for start in range(len(parts) + 1))
    if not parts:
        return False
    alternatives = _braces(pattern[0])
    return any(fnmatchcase(parts[0], each) for each in alternatives) and _fits(parts[1:], pattern[1:])


def _braces(pattern: str) -> list[str]:
    before, opened, rest = pattern.partition("{")
    inner, closed, after = rest.partition("}")
    return [f"{before}{each}{after}" for each in inner.split(",")] if opened and closed else [pattern]


def _inside(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def _joined(folder: str, path: str) -> str:
    found = posixpath.normpath(posixpath.join(folder, path))
    return "" if found == "." else found


def _folder(file: str) -> str:
    return file.rpartition("/")[0]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _json(text: str) -> dict[str, Any]:
    try:
        return _table(json.loads(text))
    except (ValueError, RecursionError):
        return {}  # the project's own tools will say so, as errors


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}  # as above
