"""Compare the packages of two states of a lock file: an unchanged version comes from where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

_WEAK_FIRST = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")
UNNAMED = ""
"""Stands for the file of a package in lock files that name none."""

OPTIONAL = "conditional"
"""The kind of packages for some machines alone, whose hashes newer versions of Yarn only know there."""


class Hash(NamedTuple):
    """One hash of a package."""

    file: str
    """The file that has it; empty where the lock file names none."""
    algorithm: str
    digest: str


class Locked(NamedTuple):
    """What a lock file says of one version of a package."""

    addresses: frozenset[str] = frozenset()
    """Where it comes from; empty where the lock file leaves that to the settings."""
    hashes: frozenset[Hash] = frozenset()
    unusual: str = ""
    """Where it comes from in place of a registry, under its own name; empty where it does not."""
    named: frozenset[str] = frozenset()
    """The addresses, or files, that name the package, or that a requirement names."""
    foreign: frozenset[str] = frozenset()
    """The addresses, files or packages that do not."""
    sealed: frozenset[str] = frozenset()
    """The kinds of sources of its entries that have a hash."""
    bare: frozenset[str] = frozenset()
    """The kinds of sources of its entries that have none, and could have one."""


Packages = dict[tuple[str, str], Locked]
"""What a lock file says, by name and version."""


def add(packages: Packages, name: str, version: str, said: Locked) -> None:
    """Add what an entry says of a package; a version can have several."""
    known = packages.get((name, version), Locked())
    packages[name, version] = Locked(
        addresses=known.addresses | said.addresses,
        hashes=known.hashes | said.hashes,
        unusual=known.unusual or said.unusual,
        named=known.named | said.named,
        foreign=known.foreign | said.foreign,
        sealed=known.sealed | said.sealed,
        bare=known.bare | said.bare,
    )


def sourced(
    said: Locked, place: str = "", *, right: bool = True, kind: str | None = None, has_hash: bool = False
) -> Locked:
    """Add whether the place of an entry names its package, and whether it has a hash.

    An empty place, and a kind of none, say nothing.
    """
    at = frozenset({place} if place else ())
    of = frozenset({kind} if kind is not None else ())
    return said._replace(
        named=at if right else frozenset(),
        foreign=frozenset() if right else at,
        sealed=of if has_hash else frozenset(),
        bare=frozenset() if has_hash else of,
    )


def hashed(texts: Iterable[str], separator: str = "-", file: str = UNNAMED) -> frozenset[Hash]:
    """Read hashes with the algorithm before them, such as `sha512-…` or `sha256:…`."""
    parts = (text.partition(separator) for text in texts if text)
    return frozenset(
        Hash(file, algorithm if found else "", digest if found else algorithm)
        for algorithm, found, digest in parts
    )


def moved(before: Packages, after: Packages) -> list[str]:
    """Say which packages of the same version come from another address or have another hash."""
    same = [key for key in after if key in before]
    dropped = _dropped([before[key] for key in same], [after[key] for key in same])
    found = []
    for name, version in same:
        old, new = before[name, version], after[name, version]
        what = [
            *(["address"] if _elsewhere(name, old, new) else []),
            *(["hash"] if _other_hash(old.hashes, new.hashes, dropped) else []),
        ]
        if what:
            found.append(f"{name} {version} has another {' and '.join(what)}")
    return found


def from_elsewhere(before: Packages, after: Packages) -> list[str]:
    """Say which packages newly come from another place than a registry, or are another package."""
    known = {(name, locked.unusual) for (name, _), locked in before.items()}
    return [
        f"{name} {version} is {locked.unusual}".replace("  ", " ")
        for (name, version), locked in after.items()
        if locked.unusual and (name, locked.unusual) not in known
    ]


def _elsewhere(name: str, old: Locked, new: Locked) -> bool:
    if old.addresses:
        return not new.addresses <= old.addresses
    return any(f"/{name}/" not in each for each in new.addresses)


def _other_hash(old: frozenset[Hash], new: frozenset[Hash], dropped: frozenset[str]) -> bool:
    """Whether hashes name other content; files may be added to a version, as wheels are."""
    if not old:
        return False
    if not new:
        return True
    stood, now = _by_file(old), _by_file(new)
    for place, digests in now.items():
        if place in stood and not (digests <= stood[place] or _grows(place, stood[place], digests)):
            return True
    if stood.keys() & now.keys() or {each.digest for each in old} & {each.digest for each in new}:
        return False
    return not {algorithm for _, algorithm in stood} <= dropped


def _grows(place: tuple[str, str], stood: frozenset[str], now: frozenset[str]) -> bool:
    """Whether hashes are only added, in a lock file that lists those of all files without their names."""
    return place[0] == UNNAMED and len(stood) > 1 and stood <= now


def _by_file(hashes: frozenset[Hash]) -> Mapping[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for each in hashes:
        found.setdefault((each.file, each.algorithm), set()).add(each.digest)
    return {place: frozenset(digests) for place, digests in found.items()}


def _dropped(before: Iterable[Locked], after: Iterable[Locked]) -> frozenset[str]:
    """Return the algorithms that a newer tool has replaced everywhere by stronger ones."""
    old = {each.algorithm for locked in before for each in locked.hashes}
    new = {each.algorithm for locked in after for each in locked.hashes}
    return frozenset(each for each in old - new if new and all(_stronger(other, each) for other in new - old))


def _stronger(algorithm: str, other: str) -> bool:
    if algorithm in _WEAK_FIRST and other in _WEAK_FIRST:
        return _WEAK_FIRST.index(algorithm) > _WEAK_FIRST.index(other)
    return True  # another format of the lock file, which has its own way to hash
