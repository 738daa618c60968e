"""Read what the lock files of npm, Yarn and pnpm say that packages state."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from setpoint.checks.proof.kinds.locks.locked_scripts import loaded, pnpm_key
from setpoint.checks.proof.kinds.locks.stated import NEEDS, WANTED, Stated, put

_PLACE = "node_modules/"
_NPM = (
    "peerDependencies", "peerDependenciesMeta",
    "hasInstallScript", "engines", "os", "cpu", "name",
)  # fmt: skip
_BERRY = ("peerDependencies", "peerDependenciesMeta", "dependenciesMeta", "conditions")
_PNPM = ("peerDependencies", "peerDependenciesMeta", "hasBin", "engines", "os", "cpu")
_PEERS = frozenset({"peerDependencies", "peerDependenciesMeta"})
_LATE = _PEERS | {"hasInstallScript"}
"""A setting, or an older version of npm, leaves them out everywhere."""
_OF_ONE_SYSTEM = frozenset({"fsevents"})
"""The first versions of npm left it out where it does not run."""
_ADDED = ("node-gyp", "latest")
"""What newer versions of Yarn add themselves to packages that are compiled."""
_SETTINGS = ("overrides", "packageExtensionsChecksum", "pnpmfileChecksum", "settings")
_LOCAL = ("file:", "link:", "portal:", "workspace:", "git", "github:", "patch:")
_TABLE = re.compile(r"  (\w+Dependencies|dependencies):\n((?:    .*(?:\n|$))+)")
_LINE = re.compile(r'    "?([^\s"]+)"? "?([^"\n]+)"?')


def npm_stated(text: str) -> Stated:
    """Read `package-lock.json`, of all versions of the format."""
    held = json.loads(text)
    entries = held.get("packages")
    old = not entries
    found = Stated(form="1" if old else "2", facts={}, late=frozenset({NEEDS}) if old else _LATE)
    for place, each in entries.items() if entries else ():
        if _PLACE in place and _is_held(each):
            put(found, place.rpartition(_PLACE)[2], each.get("version") or "", _of_npm(each))
    for name, each in () if entries else _nested(held.get("dependencies") or {}):
        wanted = each.get("requires")  # names alone: the first versions of npm wrote what was chosen
        names = _names(wanted) if isinstance(wanted, dict) else []
        put(found, name, each.get("version") or "", {NEEDS: names})
    return found


def _is_held(each: Mapping[str, Any]) -> bool:
    """Whether an archive holds the package; of one that npm found in a folder alone it knows less."""
    address = str(each.get("resolved") or "")
    return not each.get("link") and not address.startswith("file:") and bool(address or each.get("integrity"))


def _of_npm(each: Mapping[str, Any]) -> dict[str, object]:
    programs = each.get("bin")
    if isinstance(programs, Mapping):
        programs = {name: posixpath.normpath(str(file)) for name, file in programs.items()}
    # the registry lists an optional dependency in both tables, the package itself in one
    needs = {**(each.get("dependencies") or {}), **(each.get("optionalDependencies") or {})}
    return {**{kind: each.get(kind) for kind in _NPM}, "bin": programs, NEEDS: _names(needs), WANTED: needs}


def _names(needs: Mapping[str, Any]) -> list[str]:
    return sorted({*needs} - _OF_ONE_SYSTEM)


def _nested(held: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, each in held.items():
        yield name, each
        yield from _nested(each.get("dependencies") or {})


def yarn_stated(text: str) -> Stated:
    """Read `yarn.lock`, of the first version of the format and of the newer ones."""
    return _of_berry(loaded(text)) if "__metadata:" in text else _of_yarn(text)


def _of_yarn(text: str) -> Stated:
    found = Stated(form="1", facts={})
    for block in re.split(r"\n(?=[^\s#])", text):
        head, _, body = block.partition("\n")
        version = re.search(r'^  version "?([^"\n]+)', body, re.MULTILINE)
        place = re.search(r'^  resolved "?([^"\n#]+)', body, re.MULTILINE)
        if version and place and not place[1].startswith(_LOCAL):
            tables = [dict(_LINE.findall(lines)) for _, lines in _TABLE.findall(f"{body}\n")]
            needs = {name: wanted for table in tables for name, wanted in table.items()}
            name = head.strip('"').partition(",")[0]
            name = name[: name.index("@", 1)]
            put(found, name, version[1], {NEEDS: _names(needs), WANTED: needs})
    return found


def _of_berry(held: Mapping[str, Any]) -> Stated:
    noted = held.get("__metadata") or {}
    found = Stated(form=f"{noted.get('version')}", facts={})
    for key, each in held.items():
        resolution = str(each.get("resolution", ""))
        if key == "__metadata" or not (at := resolution.find("@", 1)) > 0:
            continue
        if resolution[at + 1 :].startswith("npm:"):
            wanted = (each.get("dependencies") or {}).items()
            needs = {name: _range(value) for name, value in wanted if (name, _range(value)) != _ADDED}
            facts: dict[str, object] = {kind: each.get(kind) for kind in _BERRY}
            programs = {name: posixpath.normpath(str(file)) for name, file in (each.get("bin") or {}).items()}
            facts |= {"bin": programs, NEEDS: _names(needs), WANTED: needs}
            put(found, resolution[:at], str(each.get("version")), facts)
    return found


def _range(wanted: object) -> str:
    """Return a requirement without the prefix that newer versions of Yarn write before each."""
    return str(wanted).removeprefix("npm:")


def pnpm_stated(text: str) -> Stated:
    """Read `pnpm-lock.yaml`: what packages depend on counts by name, and by the alias where it is one."""
    held = loaded(text)
    form = re.sub(r"^([6-9]|\d\d)\..*", r"\1", str(held.get("lockfileVersion")))
    settings = json.dumps([held.get(key) for key in _SETTINGS], sort_keys=True, default=str)
    found = Stated(form=form, facts={}, loose=frozenset({NEEDS, *_PEERS}), settings=settings)
    entries, shots = held.get("packages") or {}, held.get("snapshots") or {}
    peers = dict[tuple[str, str], frozenset[str]]()
    for key, each in entries.items():
        if (spec := pnpm_key(key)) and not spec["wanted"].startswith((*_LOCAL, "http")):
            own = spec["name"], spec["wanted"]
            peers[own] = frozenset(each.get("peerDependencies") or ()) | frozenset(
                each.get("transitivePeerDependencies") or ()
            )
            put(found, *own, {kind: each.get(kind) for kind in _PNPM})
    for key, each in (shots or entries).items():
        spec = pnpm_key(key)
        if spec and (own := (spec["name"], spec["wanted"])) in peers:
            put(found, own[0], f"{own[1]} ", {NEEDS: _needed(each, peers[own])})
    return found


def _needed(each: Mapping[str, Any], peers: frozenset[str]) -> list[str]:
    needs = {**(each.get("dependencies") or {}), **(each.get("optionalDependencies") or {})}
    found = []
    for name, version in needs.items():
        spec = pnpm_key(str(version))
        other = spec["name"] if spec and spec["name"] != name else ""
        if name not in peers:
            found.append(f"{name} npm:{other}" if other else name)
    return found
