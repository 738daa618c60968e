"""Read the packages that the lock files of Cargo, Go and Python's tools name."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from setpoint.checks.proof.kinds.locks.locked import Hash, Locked, Packages, add, hashed, sourced
from setpoint.checks.proof.kinds.locks.named import names_python_package

_GO_LINE = re.compile(r"^(\S+) (\S+) (h\d+):(\S+)$", re.MULTILINE)
_OF_CARGO = re.compile(r"checksum (\S+) (\S+) \((.*)\)")
_OTHER_SOURCES = ("git", "url", "path", "editable", "directory", "virtual")
_WITHOUT_HASH = ("git:", "path:", "editable:", "directory:", "virtual:", "hg:", "svn:", "bzr:")
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
    apart = _sums_apart(held)
    for each in held.get("package", []):
        source, checksum = each.get("source", ""), each.get("checksum")
        checksum = checksum or apart.get((each["name"], each["version"]))
        said = Locked(
            addresses=frozenset({source} if source else ()),
            hashes=hashed([f"sha256-{checksum}"] if checksum else ()),
            unusual=source if source.startswith("git+") else "",
        )
        kind = source if source.startswith(("registry+", "sparse+")) else None
        add(found, each["name"], each["version"], sourced(said, kind=kind, has_hash=bool(checksum)))
    return found


def _sums_apart(held: Mapping[str, Any]) -> Mapping[tuple[str, str], str]:
    named = ((_OF_CARGO.fullmatch(key), digest) for key, digest in held.get("metadata", {}).items())
    return {
        (key[1], key[2]): digest
        for key, digest in named
        if key and isinstance(digest, str) and digest != "<none>"
    }


def python_packages(text: str) -> Packages:
    """Read `uv.lock`, `poetry.lock` and `pdm.lock`."""
    found: Packages = {}
    held = tomllib.loads(text)
    entries = held.get("package", [])
    counts = Counter(each["name"] for each in entries)
    for each in entries:
        name, version = each["name"], each.get("version", "")
        own = [*each.get("wheels", []), *each.get("files", [])]
        own += [each["sdist"]] if isinstance(each.get("sdist"), dict) else []
        own += _apart(held, "files", name, version, counts)
        sums = _apart(held, "hashes", name, version, counts)
        address, unusual = _source(each)
        hashes = _files(own) | hashed(sums, ":")
        said = Locked(frozenset({address} if address else ()), hashes, unusual)
        kind = None if address.startswith(_WITHOUT_HASH) else address
        whole = bool(hashes) and all(file.get("hash") for file in own)
        add(found, name, version, sourced(said, kind=kind, has_hash=whole))
        for file in {_file(each) for each in own} - {""}:
            if not unusual or file.endswith(".whl"):
                right = names_python_package(file, name, version)
                add(found, name, version, sourced(Locked(), file, right=right))
    return found


def _apart(
    held: Mapping[str, Any], kind: str, name: str, version: str, counts: Mapping[str, int]
) -> list[Any]:
    """Return what an older form of a lock file lists of a version in a table of its own."""
    table = (held.get("metadata") or {}).get(kind)
    table = table if isinstance(table, dict) else {}
    listed = table.get(f"{name} {version}") or (table.get(name) if counts[name] == 1 else None)
    return listed if isinstance(listed, list) else []


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
        found |= hashed([each.get("hash", "")], ":", _file(each) or "?")
    return frozenset(found)


def _file(each: Mapping[str, Any]) -> str:
    """Return the name of a file that a lock file lists."""
    known = next((str(each[key]) for key in ("file", "filename", "url", "path") if each.get(key)), "")
    return known.partition("#")[0].rpartition("/")[2]


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
        kind = None if places else f"index:{index or default}"
        said = sourced(said, kind=kind, has_hash=bool(each.get("hashes")))
        add(found, name, str(each.get("version", "")).removeprefix("=="), said)
    return found
