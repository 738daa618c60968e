"""Read the packages that the lock files of Cargo, Go and Python's tools name."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from setpoint.checks.proof.kinds.locks.locked import Hash, Locked, Packages, add, hashed

_GO_LINE = re.compile(r"^(\S+) (\S+) (h\d+):(\S+)$", re.MULTILINE)
_OF_CARGO = re.compile(r"checksum (\S+) (\S+) \((.*)\)")
_OTHER_SOURCES = ("git", "url", "path", "editable", "directory", "virtual")
_OWN_CODE = ("path", "editable", "directory", "virtual")


def go_packages(text: str) -> Packages:
    """Read `go.sum`, whose lines are of a module, or of its `go.mod`."""
    found: Packages = {}
    for name, version, algorithm, digest in _GO_LINE.findall(text):
        add(found, name, version, Locked(hashes=frozenset({Hash("", algorithm, digest)})))
    return found


def cargo_packages(text: str) -> Packages:
    """Read `Cargo.lock`; its first form has the checksums in a table of their own."""
    found: Packages = {}
    held = tomllib.loads(text)
    for each in held.get("package", []):
        source, checksum = each.get("source", ""), each.get("checksum")
        said = Locked(
            addresses=frozenset({source} if source else ()),
            hashes=hashed([f"sha256-{checksum}"] if checksum else ()),
            unusual=source if source.startswith("git+") else "",
        )
        add(found, each["name"], each["version"], said)
    for key, digest in held.get("metadata", {}).items():
        if (named := _OF_CARGO.fullmatch(key)) and isinstance(digest, str):
            hashes = hashed([f"sha256-{digest}"] if digest != "<none>" else ())
            add(found, named[1], named[2], Locked(hashes=hashes))
    return found


def python_packages(text: str) -> Packages:
    """Read `uv.lock`, `poetry.lock` and `pdm.lock`."""
    found: Packages = {}
    held = tomllib.loads(text)
    for each in held.get("package", []):
        own = [*each.get("wheels", []), *each.get("files", [])]
        own += [each["sdist"]] if isinstance(each.get("sdist"), dict) else []
        address, unusual = _source(each)
        said = Locked(frozenset({address} if address else ()), _files(own), unusual)
        add(found, each["name"], each.get("version", ""), said)
    tables = held.get("metadata", {})
    for kind in ("files", "hashes"):
        for key, files in _lists(tables.get(kind)):
            name, _, version = key.partition(" ")
            versions = [known for of, known in found if of == name] if not version else [version]
            for known in versions if len(versions) == 1 else ():
                hashes = hashed(files, ":") if kind == "hashes" else _files(files)
                add(found, name, known, Locked(hashes=hashes))
    return found


def _lists(table: object) -> Iterator[tuple[str, list[Any]]]:
    for key, value in table.items() if isinstance(table, dict) else ():
        if isinstance(value, list):
            yield key, value


def _source(each: Mapping[str, Any]) -> tuple[str, str]:
    """Return where a package comes from, and the same again unless that is a registry."""
    source = each.get("source")
    held = source if isinstance(source, dict) else {**each}
    if isinstance(kind := held.get("type"), str):
        place = f"{kind}:{held.get('url', '')}"
        place = f"{place}#{held['resolved_reference']}" if "resolved_reference" in held else place
        return place, "" if kind in ("legacy", *_OWN_CODE) else place
    for kind in (
        each_kind for each_kind in ("registry", *_OTHER_SOURCES) if isinstance(held.get(each_kind), str)
    ):
        place = f"{kind}:{held[kind]}"
        return place, "" if kind in ("registry", *_OWN_CODE) else place
    return "", ""


def _files(files: list[Mapping[str, Any]]) -> frozenset[Hash]:
    found: set[Hash] = set()
    for each in files:
        name = each.get("file") or str(each.get("url", each.get("path", ""))).rpartition("/")[2]
        found |= hashed([each.get("hash", "")], ":", name.partition("#")[0] or "?")
    return frozenset(found)


def pipfile_packages(text: str) -> Packages:
    """Read `Pipfile.lock`, which lists the hashes of all files of a version without their names."""
    found: Packages = {}
    held = json.loads(text)
    default = next((each.get("name") for each in held.get("_meta", {}).get("sources", [])), "")
    for name, each in (entry for kind in ("default", "develop") for entry in held.get(kind, {}).items()):
        places = [
            f"{key}:{each[key]}" for key in ("git", "path", "file", "url") if isinstance(each.get(key), str)
        ]
        places = [f"{place}#{each['ref']}" if "ref" in each else place for place in places]
        index = each.get("index") if each.get("index") != default else ""
        said = Locked(
            addresses=frozenset([*places, *([f"index:{index}"] if index and not places else [])]),
            hashes=hashed(each.get("hashes", ()), ":"),
            unusual=places[0] if places and not places[0].startswith("path:") else "",
        )
        add(found, name, str(each.get("version", "")).removeprefix("=="), said)
    return found
