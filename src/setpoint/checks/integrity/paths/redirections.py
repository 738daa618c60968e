"""Manifests that lead the tests elsewhere: to other code under an old name, or past the test harness.

A runner reads them before any test. What a name meant at the base it has to mean now: an import alias leads
to the file that it led to, a dependency comes from where it came, and a target has the harness that it had.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping

from setpoint.checks.integrity.paths.package_targets import means_otherwise
from setpoint.checks.integrity.paths.startup_paths import folded

_OF_HARNESS = ("test", "harness", "doctest")
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")
_SOURCES = ("path", "git", "registry", "registry-index", "package", "base")
"""Keys of a dependency of Cargo that say where it comes from."""
_REPLACED = re.compile(r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s*=>\s*(\S+)", re.MULTILINE)
_USED = re.compile(r"^\s*(?:use\s+)?(\.\S*)\s*$", re.MULTILINE)
_REQUIRED = re.compile(r"^\s*(?:require\s+)?([\w.~-]+\.[\w.~-]+/\S+|[\w.~-]+/\S+)\s+v\d", re.MULTILINE)
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_MANIFESTS = frozenset({"package.json", "go.mod", "go.work", "cargo.toml"})
_OF_CARGO = (".cargo/config", ".cargo/config.toml")


_OF_VITE = re.compile(r"vite\.config\.[cm]?[jt]s", re.IGNORECASE)
_STEERING = re.compile(
    r"\b(?:import|require|resolve|alias|test|setup\w*|plugins?|define|transform|root|mode|env\w*)\b"
)
"""Words in the configuration of vite by which vitest finds, changes or prepares what it tests."""


def is_manifest(path: str) -> bool:
    """Whether a file may lead tests elsewhere."""
    plain = folded(path)
    name = plain.rpartition("/")[2]
    return name in _MANIFESTS or of_cargo(path) or _OF_VITE.fullmatch(name) is not None


def of_cargo(path: str) -> bool:
    """Whether a file is a configuration that cargo reads in the folders above a package."""
    return folded(path).endswith(_OF_CARGO)


def steers_vitest(path: str, before: str, after: str) -> bool:
    """Whether a configuration of vite, which vitest reads, is changed in more than how things are built."""
    if _OF_VITE.fullmatch(path.rpartition("/")[2]) is None:
        return False
    old, new = ({line.strip() for line in text.splitlines()} for text in (before, after))
    return any(_STEERING.search(line) for line in old ^ new if not line.startswith("//"))


def redirection(path: str, before: str, after: str, files: Collection[str]) -> str:
    """Say what a manifest of the base now means otherwise; empty where nothing.

    `files` are the paths of the tree as it is now. A name may follow a file that moved.
    """
    name = folded(path).rpartition("/")[2]
    if name == "package.json":
        return _of_package(path, before, after, files)
    if name == "go.mod":
        return _of_go(before, after)
    return _of_cargo(before, after) if name == "cargo.toml" else ""


def workspace(after: str, manifests: Mapping[str, str]) -> str:
    """Say which required module of Go a new or changed `go.work` takes from the tree; empty where none."""
    modules = {path.rpartition("/")[0]: text for path, text in manifests.items() if path.endswith("go.mod")}
    required = {name for text in modules.values() for name in _REQUIRED.findall(text)}
    used = {place.strip("./") for place in _USED.findall(after)}
    own = {found[1] for folder, text in modules.items() if folder in used and (found := _MODULE.search(text))}
    replaced = {name for name, _ in _REPLACED.findall(after)}
    taken = sorted(required & (own | replaced))
    return f"takes {taken[0]} from the tree, which the base takes from elsewhere" if taken else ""


def _of_package(path: str, before: str, after: str, files: Collection[str]) -> str:
    folder = path.rpartition("/")[0]
    for name, was, now in means_otherwise(before, after):
        file = "/".join(part for part in (*folder.split("/"), *was.split("/")) if part not in ("", "."))
        if file in files or any(each.startswith(f"{file}.") for each in files) or "*" in file:
            return f"lets {name} mean {now}, though {was} is still there"
    return ""


def _of_go(before: str, after: str) -> str:
    known, now = dict(_REPLACED.findall(before)), dict(_REPLACED.findall(after))
    for name in _REQUIRED.findall(before):
        if now.get(name) and now.get(name) not in (name, known.get(name)):
            return f"takes {name} from {now[name]}, which the base takes from elsewhere"
    return ""


def _of_cargo(before: str, after: str) -> str:
    try:
        old, new = tomllib.loads(before), tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        return ""
    for table in ("patch", "replace"):
        if new.get(table) != old.get(table):
            return f"replaces dependencies by [{table}]"
    known = dict(_sources(old))
    for name, sources in _sources(new):
        if name in known and (other := sources - known[name]):
            return f"takes {name} from {min(other)}, which the base takes from elsewhere"
    switched = sorted(_off(new) - _off(old))
    return f"switches {switched[0]} off" if switched else ""


def _table(held: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = held.get(key)
    return found if isinstance(found, dict) else {}


def _sources(manifest: Mapping[str, object]) -> Iterator[tuple[str, set[str]]]:
    """Yield each dependency with all places it comes from: of any table, target or workspace."""
    found: dict[str, set[str]] = {}
    targets = _table(manifest, "target")
    for owner in (manifest, _table(manifest, "workspace"), *(_table(targets, each) for each in targets)):
        for table in _TABLES:
            for name, given in _table(owner, table).items():
                held = given if isinstance(given, dict) else {}
                found.setdefault(name, set()).update(str(held[key]) for key in _SOURCES if key in held)
    yield from found.items()


def _off(held: Mapping[str, object]) -> set[str]:
    """Name what a manifest of Cargo switches off in its tests."""
    found = {f"lib.{key}" for key in _OF_HARNESS if _table(held, "lib").get(key) is False}
    found |= {f"package.{key}" for key in ("autotests",) if _table(held, "package").get(key) is False}
    for kind in ("test", "bin", "example"):
        every = held.get(kind)
        for each in every if isinstance(every, list) else ():
            if isinstance(each, dict):
                name = f"{kind} {each.get('name', '')}".strip()
                keys = _OF_HARNESS if kind == "test" else ("harness",)
                found |= {f"{name}.{key}" for key in keys if each.get(key) is False}
    return found
