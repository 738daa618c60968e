"""Judge new entries of a lock file: addresses name their packages, and hashes exist where others have one."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from setpoint.checks.proof.kinds.locks.locked import OPTIONAL, Locked, Packages
from setpoint.checks.proof.kinds.locks.named import asked_for, host, stem


def misnamed(before: Packages, after: Packages, declared: Collection[str]) -> list[str]:
    """Say which new or changed packages are taken from an address that names another package.

    `declared` holds the texts of changed manifests: what they name is asked for. Addresses of a host that
    names no package at the base tell nothing.
    """
    opaque = _opaque(before.values())
    return [
        f"{name} {version} is taken from {address}".replace("  ", " ")
        for (name, version), locked in after.items()
        for address in sorted(locked.foreign)
        if host(address) not in opaque
        and not _known(before, name, address)
        and not asked_for(address, declared)
    ]


def unhashed(before: Packages, after: Packages) -> list[str]:
    """Say which new packages have no hash, though at the base all of the same kind of source had one.

    A package that had a hash in another version keeps having one.
    """
    hashed = {kind for locked in before.values() for kind in locked.sealed} - {OPTIONAL}
    bare = {kind for locked in before.values() for kind in locked.bare} - {OPTIONAL}
    had = {name for (name, _), locked in before.items() if locked.sealed - {OPTIONAL}}
    found = []
    for (name, version), locked in after.items():
        new = locked.bare - before.get((name, version), Locked()).bare
        alike = (kind not in bare if kind in hashed else hashed and not bare for kind in new - {OPTIONAL})
        if (new and name in had) or any(alike):
            found.append(f"{name} {version}".strip())
    return found


def _known(before: Packages, name: str, address: str) -> bool:
    """Whether the base took the package from there: the same alias, or an address of other figures."""
    stems = {stem(each) for (own, _), locked in before.items() if own == name for each in locked.foreign}
    whole = {each for (own, _), locked in before.items() if own == name for each in locked.addresses}
    return address in whole or stem(address) in stems


def _opaque(entries: Collection[Locked]) -> frozenset[str]:
    """Return the hosts of which no address at the base names its package."""
    return frozenset(_hosts(entries, own=False)) - frozenset(_hosts(entries, own=True))


def _hosts(entries: Collection[Locked], *, own: bool) -> Iterator[str]:
    for locked in entries:
        yield from (host(each) for each in (locked.named if own else locked.foreign) if "://" in each)
