"""Read the packages that the lock files of npm, Yarn and pnpm name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from setpoint.checks.proof.kinds.locks.locked import Locked, Packages, add, hashed

_PLACE = "node_modules/"
_OTHER_PLACE = re.compile(r"(?:git\b|github:|gitlab:|bitbucket:|file:|link:|portal:|http:|ssh:)")
_SPEC = re.compile(r"(?P<name>(?:@[^@/\s]+/)?[^@/\s]+)@(?P<wanted>.*)", re.DOTALL)
_OLD_PNPM = re.compile(r"(?P<name>@[^/]+/[^/]+|[^/]+)/(?P<wanted>[^/_]+)(?:_.*)?")
_YARN_FIELD = re.compile(r'\s+"?(version|resolved|integrity)"?:?\s+"?([^"\n]+)"?')


def npm_packages(text: str) -> Packages:
    """Read `package-lock.json`, of all versions of the format."""
    found: Packages = {}
    held = json.loads(text)
    entries = held.get("packages")
    for place, each in entries.items() if entries else ():
        if place:
            name, real = place.rpartition(_PLACE)[2], each.get("name")
            alias = real if _PLACE in place and real and real != name else ""
            _of_npm(found, name, alias, each)
    for name, each in () if entries else _nested(held.get("dependencies") or {}):
        version = each.get("version") or ""
        alias = ""
        if version.startswith("npm:"):
            alias, _, version = version.removeprefix("npm:").rpartition("@")
        _of_npm(found, name, alias, {**each, "version": version})
    return found


def _of_npm(found: Packages, name: str, alias: str, each: Mapping[str, Any]) -> None:
    address, version = each.get("resolved") or "", each.get("version") or ""
    if each.get("link"):
        address = f"link:{address}"
    if not address and _OTHER_PLACE.match(version):
        address, version = version, ""
    unusual = f"npm:{alias}@{version}" if alias else address if _OTHER_PLACE.match(address) else ""
    said = Locked(
        addresses=frozenset(part for part in (address, alias and f"npm:{alias}") if part),
        hashes=hashed((each.get("integrity") or "").split()),
        unusual=unusual,
    )
    add(found, name, version, said)


def _nested(held: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, each in held.items():
        yield name, each
        yield from _nested(each.get("dependencies") or {})


def yarn_packages(text: str) -> Packages:
    """Read `yarn.lock`, of the first version of the format and of the newer ones."""
    return _of_berry(_loaded(text)) if "__metadata:" in text else _of_yarn(text)


def _of_yarn(text: str) -> Packages:
    found: Packages = {}
    for block in re.split(r"\n(?=[^\s#])", text):
        head, _, body = block.partition("\n")
        said = dict(_YARN_FIELD.findall(f"\n{body.partition('dependencies:')[0]}"))
        address, _, digest = said.get("resolved", "").partition("#")
        hashes = hashed([*said.get("integrity", "").split(), f"sha1-{digest}" if digest else ""])
        for spec in _specs(head.strip().rstrip(":")):
            alias = _alias(spec["name"], spec["wanted"])
            entry = Locked(
                addresses=frozenset(part for part in (address, alias) if part),
                hashes=hashes,
                unusual=alias or (address if _OTHER_PLACE.match(address) else ""),
            )
            add(found, spec["name"], said.get("version", ""), entry)
    return found


def _of_berry(held: Mapping[str, Any]) -> Packages:
    found: Packages = {}
    for key, each in held.items():
        resolution, version = str(each.get("resolution", "")), str(each.get("version", ""))
        real = _SPEC.fullmatch(resolution)
        place = real["wanted"] if real else resolution
        patched = place.startswith("patch:")  # Yarn's own patches have other hashes in each of its versions
        kind, _, digest = str(each.get("checksum", "")).rpartition("/")
        usual = patched or place == f"npm:{version}" or place.startswith(("workspace:", "virtual:"))
        for spec in _specs(key):
            other = real is not None and real["name"] != spec["name"]
            entry = Locked(
                addresses=frozenset({resolution} if other or not usual else ()),
                hashes=hashed([f"{kind}-{digest}"] if digest and not patched else ()),
                unusual=f"npm:{resolution}" if other else "" if usual else place,
            )
            add(found, spec["name"], version, entry)
    return found


def _specs(head: str) -> Iterator[re.Match[str]]:
    """Yield the requirements that one entry of Yarn answers."""
    for each in head.split(", "):
        if spec := _SPEC.fullmatch(each.strip().strip('"')):
            yield spec


def _alias(name: str, wanted: str) -> str:
    """Return the package that another one is called by; empty where it has its own name."""
    real = _SPEC.fullmatch(wanted.removeprefix("npm:")) if wanted.startswith("npm:") else None
    return f"npm:{real['name']}" if real and real["name"] != name else ""


def pnpm_packages(text: str) -> Packages:
    """Read `pnpm-lock.yaml`, in which the keys of packages have had several forms."""
    found: Packages = {}
    held = _loaded(text)
    entries = held.get("packages") or {}
    for key, each in entries.items():
        spec = _of_pnpm(key)
        name, version = (spec["name"], spec["wanted"]) if spec else (each.get("name") or key, "")
        said = each.get("resolution") or {}
        git = f"git:{said['repo']}#{said.get('commit', '')}" if "repo" in said else ""
        folder = f"file:{said['directory']}" if "directory" in said else ""
        address = said.get("tarball") or git or folder or ""
        if _OTHER_PLACE.match(version) or version.startswith("https:"):
            address, version = address or version, each.get("version") or ""
        unusual = address if _OTHER_PLACE.match(address) or "tarball" in said else ""
        hashes = hashed((said.get("integrity") or "").split())
        add(found, name, version, Locked(frozenset({address} if address else ()), hashes, unusual))
    owners = [held, *(held.get("importers") or {}).values()]
    owners += [*entries.values(), *(held.get("snapshots") or {}).values()]
    for name, wanted in (need for owner in owners for need in _needs(owner)):
        spec = _of_pnpm(wanted)
        if spec and spec["name"] != name:  # it is called by another name than its own
            alias = f"npm:{spec['name']}"
            add(found, name, spec["wanted"], Locked(frozenset({alias}), unusual=f"{alias}@{spec['wanted']}"))
    return found


def _needs(owner: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a project or a package depends on, as it is locked."""
    for table in ("dependencies", "devDependencies", "optionalDependencies"):
        for name, wanted in (owner.get(table) or {}).items():
            yield name, str(wanted.get("version", "") if isinstance(wanted, dict) else wanted)


def _of_pnpm(key: str) -> re.Match[str] | None:
    if re.match(r"\d+\.\d+\.\d|link:", key):  # the package has its own name
        return None
    plain = key.partition("(")[0].removeprefix("/")
    return _SPEC.fullmatch(plain) or _OLD_PNPM.fullmatch(plain)


def _loaded(text: str) -> Any:  # noqa: ANN401 - a lock file holds whatever it holds; readers ask as they go
    """Read YAML in C where that is built in: a lock file can have tens of thousands of lines."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(text, Loader=loader)  # noqa: S506 - both loaders are safe ones
