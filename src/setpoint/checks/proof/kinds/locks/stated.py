"""Compare what lock files say that a package states itself: dependencies, programs, conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from setpoint.checks.proof.subject import listed

NEEDS = "dependencies"
"""The kind of the names of what a package depends on."""
WANTED = "requirements"
"""The kind of these names with what is asked of each."""
Facts = Mapping[str, frozenset[str]]
"""What one entry says, by kind; a kind of which it says nothing is left out."""


class Stated(NamedTuple):
    """What a lock file says that its packages state."""

    form: str
    """The form of the file: its version, or that of the tool where that decides."""
    facts: dict[tuple[str, str], list[Facts]]
    """What each entry says, by name and version; a version can have several entries."""
    loose: frozenset[str] = frozenset()
    """The kinds that another form of the file writes otherwise: they are compared within one form alone."""
    late: frozenset[str] = frozenset()
    """The kinds that a setting, or an older tool, leaves out everywhere: both files need to have them."""
    settings: str = ""
    """What the tool noted of settings that decide on which packages another one depends."""


def fact(table: object) -> frozenset[str]:
    """Return what a field says as a set of texts; the order never counts."""
    if isinstance(table, Mapping):
        return frozenset(f"{name} {_plain(value)}".strip() for name, value in table.items())
    if isinstance(table, list | tuple):
        return frozenset(str(each) for each in table)
    return frozenset({str(table)} if table not in (None, False, "") else ())


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_plain(each)}" for key, each in sorted(value.items()))
    if isinstance(value, list | tuple):
        return ", ".join(sorted(_plain(each) for each in value))
    return str(value)


def put(stated: Stated, name: str, version: str, facts: Mapping[str, object]) -> None:
    """Add what an entry says, by kind."""
    read = {kind: fact(each) for kind, each in facts.items()}
    known = stated.facts.setdefault((name, version), [])
    known.append({kind: each for kind, each in read.items() if each})


def restated(before: Stated, after: Stated, declared: Collection[str]) -> list[str]:
    """Say which entries of the same version state something else than at the base.

    `declared` holds the texts of changed manifests: only these change settings, and extend packages.
    """
    skipped = _other_form(before, after)
    if declared and before.settings != after.settings:
        skipped |= {NEEDS, WANTED}
    found = []
    for key, entries in after.facts.items():
        known = before.facts.get(key)
        if known is None:
            continue
        wrong = dict[str, frozenset[str]]()
        for kind, said, stood in _changed(known, entries):
            if kind not in skipped and not _extended(key[0], said ^ stood, declared):
                wrong.setdefault(kind, said ^ stood)
        if wrong:
            what = "; ".join(f"{kind}: {listed(sorted(each))}" for kind, each in wrong.items())
            found.append(f"{key[0]} {key[1].strip()} states something else ({what})")
    return found


def _changed(
    known: Collection[Facts], entries: Collection[Facts]
) -> Iterator[tuple[str, frozenset[str], frozenset[str]]]:
    """Yield each kind of which an entry says what no entry of the version said, with the nearest of these."""
    none: frozenset[str] = frozenset()
    for kind in sorted({kind for each in (*known, *entries) for kind in each}):
        stood = [each.get(kind, none) for each in known]
        for said in (each.get(kind, none) for each in entries):
            if said not in stood:
                yield kind, said, min(stood, key=lambda each: len(each ^ said))


def _other_form(before: Stated, after: Stated) -> frozenset[str]:
    """Return the kinds that cannot be compared, as the tool or its settings write them otherwise."""
    apart = _kinds(before) ^ _kinds(after)
    late = apart & (before.late | after.late)
    if before.form == after.form:
        return late
    return late | before.loose | after.loose | (apart - {NEEDS})


def _kinds(stated: Stated) -> frozenset[str]:
    return frozenset(kind for entries in stated.facts.values() for each in entries for kind in each)


def _extended(name: str, facts: Collection[str], declared: Collection[str]) -> bool:
    """Whether a changed manifest extends the package by these facts."""
    words = [each.partition(" ")[0] for each in facts]
    return any(
        "packageExtensions" in text and name in text and all(word in text for word in words)
        for text in declared
    )
