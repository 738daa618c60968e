"""Read the packages that the lock files of npm, Yarn and pnpm name."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs, unquote

import yaml

from setpoint.checks.proof.kinds.locks.locked import OPTIONAL, Locked, Packages, add, hashed, sourced
from setpoint.checks.proof.kinds.locks.named import answers, host, is_place, names_package

_PLACE = "node_modules/"
_TABLES = ("dependencies", "devDependencies", "optionalDependencies")
_OWN_FOLDERS = ("workspace:", "virtual:", "link:", "portal:")
_WITHOUT_HASH = re.compile(r"git\b|github:|gitlab:|bitbucket:|ssh:|file:")
_OTHER_PLACE = re.compile(r"(?:git\b|github:|gitlab:|bitbucket:|file:|link:|portal:|http:|ssh:)")
_SPEC = re.compile(r"(?P<name>(?:@[^@/\s]+/)?[^@/\s]+)@(?P<wanted>.*)", re.DOTALL)
_OLD_PNPM = re.compile(r"(?P<name>@[^/]+/[^/]+|[^/]+)/(?P<wanted>[^/_]+)(?:_.*)?")
_YARN_FIELD = re.compile(r'\s+"?(version|resolved|integrity)"?:?\s+"?([^"\n]+)"?')


def npm_packages(text: str) -> Packages:
    """Read `package-lock.json`, of all versions of the format."""
    found: Packages = {}
    held = json.loads(text)
    entries = held.get("packages")
    declared = _declared(entries or {})
    for place, each in entries.items() if entries else ():
        if place:
            name, real = place.rpartition(_PLACE)[2], each.get("name")
            alias = real if _PLACE in place and real and real != name else ""
            packed = bool(each.get("inBundle")) and place.count(_PLACE) > 1
            own = {"bundled": packed or _PLACE not in place}
            _of_npm(found, name, alias, {**each, **own}, declared.get(name, ()))
    for name, each in () if entries else _nested(held.get("dependencies") or {}):
        version = each.get("version") or ""
        alias = ""
        if version.startswith("npm:"):
            alias, _, version = version.removeprefix("npm:").rpartition("@")
        _of_npm(found, name, alias, {**each, "version": version}, None)
    return found


def _declared(entries: Mapping[str, Mapping[str, Any]]) -> Mapping[str, list[str]]:
    """Return what the project and its packages require, by name."""
    found: dict[str, list[str]] = {}
    for each in entries.values():
        for table in (*_TABLES, "peerDependencies"):
            for name, wanted in (each.get(table) or {}).items():
                found.setdefault(name, []).append(str(wanted))
    return found


def _of_npm(
    found: Packages, name: str, alias: str, each: Mapping[str, Any], wanted: Collection[str] | None
) -> None:
    """Add an entry; the first version of the format does not tell what the project requires."""
    address, version = each.get("resolved") or "", each.get("version") or ""
    own = bool(each.get("link"))
    if own:
        address = f"link:{address}"
    if not address and (_OTHER_PLACE.match(version) or version.startswith("https:")):
        address, version = version, ""
    away = not own and is_place(address) and not names_package(address, alias or name, version)
    untold = wanted is None and not version
    right = own or not away or untold or any(answers(place, address) for place in wanted or ())
    unusual = f"npm:{alias}@{version}" if alias else address if away or _OTHER_PLACE.match(address) else ""
    hashes = hashed((each.get("integrity") or "").split())
    said = Locked(
        addresses=frozenset(part for part in (address, alias and f"npm:{alias}") if part),
        hashes=hashes,
        unusual=unusual,
    )
    free = own or not version or (each.get("bundled") and not each.get("resolved"))
    kind = None if free or _WITHOUT_HASH.match(address) else host(address)
    add(found, name, version, sourced(said, address, right=right, kind=kind, has_hash=bool(hashes)))
    if alias and wanted is not None and f"npm:{alias}" not in {_alias(name, one) for one in wanted}:
        add(found, name, version, Locked(foreign=frozenset({f"npm:{alias}"})))


def _nested(held: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, each in held.items():
        yield name, each
        yield from _nested(each.get("dependencies") or {})


def yarn_packages(text: str) -> Packages:
    """Read `yarn.lock`, of the first version of the format and of the newer ones."""
    return _of_berry(loaded(text)) if "__metadata:" in text else _of_yarn(text)


def _of_yarn(text: str) -> Packages:
    found: Packages = {}
    for block in re.split(r"\n(?=[^\s#])", text):
        head, _, body = block.partition("\n")
        said = dict(_YARN_FIELD.findall(f"\n{body.partition('dependencies:')[0]}"))
        address, _, digest = said.get("resolved", "").partition("#")
        integrity, version = said.get("integrity", "").split(), said.get("version", "")
        hashes = hashed([*integrity, f"sha1-{digest}" if digest else ""])
        specs = list(_specs(head.strip().rstrip(":")))
        for spec in specs:
            alias = _alias(spec["name"], spec["wanted"])
            entry = Locked(
                addresses=frozenset(part for part in (address, alias) if part),
                hashes=hashes,
                unusual=alias or (address if _OTHER_PLACE.match(address) else ""),
            )
            reals, places = _meant(specs, spec["name"])
            named = any(names_package(address, real, version) for real in reals)
            right = named or any(answers(place, address) for place in places)
            entry = entry._replace(unusual=entry.unusual or ("" if named else address))
            kind = None if not address or (places and not named) else host(address)
            entry = sourced(entry, address, right=right, kind=kind, has_hash=bool(integrity))
            add(found, spec["name"], version, entry)
    return found


def _meant(specs: Iterable[re.Match[str]], name: str) -> tuple[frozenset[str], list[str]]:
    """Return the packages, and the places, that the requirements of an entry of Yarn mean by a name."""
    wanted = [spec["wanted"] for spec in specs if spec["name"] == name]
    others = frozenset(other.removeprefix("npm:") for each in wanted if (other := _alias(name, each)))
    return others or frozenset({name}), [each for each in wanted if is_place(each)]


def _of_berry(held: Mapping[str, Any]) -> Packages:
    found: Packages = {}
    for key, each in held.items():
        resolution, version = str(each.get("resolution", "")), str(each.get("version", ""))
        real = _SPEC.fullmatch(resolution)
        place = real["wanted"] if real else resolution
        patched = place.startswith("patch:")  # Yarn's own patches have other hashes in each of its versions
        kind, _, digest = str(each.get("checksum", "")).rpartition("/")
        usual = patched or place == f"npm:{version}" or place.startswith(("workspace:", "virtual:"))
        specs = list(_specs(key))
        for spec in specs:
            other = real is not None and real["name"] != spec["name"]
            entry = Locked(
                addresses=frozenset({resolution} if other or not usual else ()),
                hashes=hashed([f"{kind}-{digest}"] if digest and not patched else ()),
                unusual=f"npm:{resolution}" if other else "" if usual else place,
            )
            right = _berry_is_right(real, version, *_meant(specs, spec["name"]))
            free = patched or (not digest and place.startswith(_OWN_FOLDERS))
            of = None if free else OPTIONAL if each.get("conditions") else place.partition(":")[0]
            shown = resolution if real or right else ""
            entry = sourced(entry, shown, right=right, kind=of, has_hash=bool(digest))
            add(found, spec["name"], version, entry)
    return found


def _berry_is_right(
    real: re.Match[str] | None, version: str, reals: Collection[str], places: Collection[str]
) -> bool:
    """Whether the package and the place of an entry of a newer Yarn are those that were required."""
    if real is None:
        return True
    place = real["wanted"]
    if place.startswith("npm:"):
        archive = parse_qs(place.partition("::")[2]).get("__archiveUrl", [""])[0]
        return real["name"] in reals and (not archive or names_package(archive, real["name"], version))
    if place.startswith("patch:"):
        inner = _SPEC.match(unquote(place.removeprefix("patch:")))
        return inner is not None and inner["name"] in {*reals, real["name"]}
    return place.startswith((*_OWN_FOLDERS, "file:")) or any(answers(each, place) for each in places)


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
    held = loaded(text)
    entries = held.get("packages") or {}
    for key, each in entries.items():
        _add_pnpm(found, key, each)
    owners = [held, *(held.get("importers") or {}).values()]
    owners += [*entries.values(), *(held.get("snapshots") or {}).values()]
    overrides = [str(each) for each in (held.get("overrides") or {}).values()]
    for name, wanted, asked in (need for owner in owners for need in _needs(owner)):
        spec = pnpm_key(wanted)
        if spec and spec["name"] != name:  # it is called by another name than its own
            alias = f"npm:{spec['name']}"
            right = not asked or any(f"{each}@".startswith(f"{alias}@") for each in (asked, *overrides))
            said = Locked(frozenset({alias}), unusual=f"{alias}@{spec['wanted']}")
            add(found, name, spec["wanted"], sourced(said, alias, right=right))
    return found


def _add_pnpm(found: Packages, key: str, each: Mapping[str, Any]) -> None:
    spec = pnpm_key(key)
    name, version = (spec["name"], spec["wanted"]) if spec else (each.get("name") or key, "")
    said = each.get("resolution") or {}
    git = f"git:{said['repo']}#{said.get('commit', '')}" if "repo" in said else ""
    folder = f"file:{said['directory']}" if "directory" in said else ""
    address = said.get("tarball") or git or folder or ""
    usual, place = spec is not None, key
    if _OTHER_PLACE.match(version) or version.startswith("https:"):
        usual, place = False, version
        address, version = address or version, each.get("version") or ""
    named = not address or (usual and names_package(address, name, version))
    right = named or (not usual and (git or folder or answers(place, address)))
    unusual = address if _OTHER_PLACE.match(address) or "tarball" in said else ""
    hashes = hashed((said.get("integrity") or "").split())
    entry = Locked(frozenset({address} if address else ()), hashes, unusual)
    kind = None if not usual or git or folder else host(address)
    add(found, name, version, sourced(entry, address, right=bool(right), kind=kind, has_hash=bool(hashes)))


def _needs(owner: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what a project or a package depends on, as it is locked, and the requirement or nothing."""
    for table in _TABLES:
        for name, wanted in (owner.get(table) or {}).items():
            if isinstance(wanted, dict):
                asked = str(wanted.get("specifier", ""))
                yield name, str(wanted.get("version", "")), "" if asked.startswith("catalog:") else asked
            else:
                yield name, str(wanted), str((owner.get("specifiers") or {}).get(name, ""))


def pnpm_key(key: str) -> re.Match[str] | None:
    """Return the name and the version in a key of a package; none where it has no name of its own."""
    if re.match(r"\d+\.\d+\.\d|link:", key):  # the package has its own name
        return None
    plain = key.partition("(")[0].removeprefix("/")
    return _SPEC.fullmatch(plain) or _OLD_PNPM.fullmatch(plain)


@lru_cache(maxsize=2)  # two readers read each of the two states
def loaded(text: str) -> Any:  # noqa: ANN401 - a lock file holds whatever it holds; readers ask as they go
    """Read YAML in C where that is built in: a lock file can have tens of thousands of lines."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(text, Loader=loader)  # noqa: S506 - both loaders are safe ones
