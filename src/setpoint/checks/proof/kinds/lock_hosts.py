"""Judge whether a lock file takes its packages from where it took them before."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

import yaml

from setpoint.checks.discovery.generated_files import LOCK_FILES
from setpoint.checks.integrity.paths.protected_paths import matches
from setpoint.checks.proof.kinds.locks.locked import Packages, from_elsewhere, moved
from setpoint.checks.proof.kinds.locks.locked_others import (
    cargo_packages,
    go_packages,
    pipfile_packages,
    python_packages,
)
from setpoint.checks.proof.kinds.locks.locked_scripts import npm_packages, pnpm_packages, yarn_packages
from setpoint.checks.proof.kinds.locks.sourced import misnamed, unhashed
from setpoint.checks.proof.kinds.locks.stated import Stated, restated
from setpoint.checks.proof.kinds.locks.stated_python import python_stated
from setpoint.checks.proof.kinds.locks.stated_scripts import npm_stated, pnpm_stated, yarn_stated
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.model.proof import Obligation, ObligationState

_NAME = "lock hosts"
_HOST = re.compile(rb"\b(?:https?|git|ssh)(?:\+\w+)?://(?:[^/\s@\"']+@)?([\w.-]+)", re.IGNORECASE)
_READERS: Mapping[str, Callable[[str], Packages]] = {
    "package-lock.json": npm_packages,
    "npm-shrinkwrap.json": npm_packages,
    "yarn.lock": yarn_packages,
    "pnpm-lock.yaml": pnpm_packages,
    "Cargo.lock": cargo_packages,
    "go.sum": go_packages,
    "go.work.sum": go_packages,
    "poetry.lock": python_packages,
    "uv.lock": python_packages,
    "pdm.lock": python_packages,
    "Pipfile.lock": pipfile_packages,
}
_STATED: Mapping[str, Callable[[str], Stated]] = {
    "package-lock.json": npm_stated,
    "npm-shrinkwrap.json": npm_stated,
    "yarn.lock": yarn_stated,
    "pnpm-lock.yaml": pnpm_stated,
    "poetry.lock": python_stated,
    "uv.lock": python_stated,
    "pdm.lock": python_stated,
}
_DECLARE = ("package.json", "pnpm-workspace.yaml")
"""Where a project of JavaScript says that a package is another one, or comes from a place."""
_SET = (*_DECLARE, "pyproject.toml", ".npmrc", ".pnpmfile.cjs", ".yarnrc.yml")
"""Where projects set what their tools then write into lock files."""
_Held = TypeVar("_Held")
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError, yaml.YAMLError)


def lock_hosts(subject: Subject) -> tuple[Obligation, ...]:
    """Compare hosts, addresses and hashes in each changed lock file with those at the base.

    It is listed where one differs, where a new address names another package, where a new entry has no hash
    as the others do, where an entry of an unchanged version depends on, or runs, something else,
    and where a package is added that comes from no registry or is another package than its
    name says. A file that a person released is left out.
    """
    wrong, shown = list[str](), list[str]()
    declared = [_text(after) for path, after in subject.after.items() if _last(path) in _DECLARE]
    settings = [_text(after) for path, after in subject.after.items() if _last(path) in _SET]
    for path, after in subject.after.items():
        name, before = _last(path), subject.before.get(path, b"")
        if name not in LOCK_FILES or not before or matches(path, subject.task.story.may_change):
            continue
        if (known := _hosts(before)) and (new := _hosts(after) - known):
            wrong.append(
                f"{path} takes packages from {listed(tuple(sorted(new)))}, which it did not before: "
                "lock them from the same place as before"
            )
        wrong += [f"{path}: {each}" for each in _of_statements(name, before, after, settings)]
        was, now = _read(_READERS, name, before), _read(_READERS, name, after)
        if was is None or now is None:
            continue
        wrong += [f"{path}: {each}" for each in _of_entries(was, now, declared)]
        shown += [f"{path}: {each}" for each in from_elsewhere(was, now)]
    if wrong:
        reason = "; ".join(wrong)
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    if not shown:
        return ()
    reason = f"newly taken from no registry, or under another name: {listed(shown)}"
    names = tuple(shown[:MOST_NAMED])
    return (Obligation(name=_NAME, state=ObligationState.MET, reason=reason, evidence=names),)


def _of_entries(was: Packages, now: Packages, declared: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with the entries of a lock file, each with what to do."""
    if other := moved(was, now):
        yield (
            f"{listed(other)}, though the version is the same: restore these entries, or lock "
            "the packages again from the same place"
        )
    if foreign := misnamed(was, now, declared):
        yield (
            f"{listed(foreign)}, which is another package and which nothing requires under this name: lock "
            "the packages again with the project's package tool"
        )
    if bare := unhashed(was, now):
        yield (
            f"{listed(bare)} has no hash, though the other packages have one: lock the packages again "
            "with the project's package tool"
        )


def _of_statements(name: str, before: bytes, after: bytes, settings: Collection[str]) -> Iterator[str]:
    """Yield what entries of an unchanged version newly state."""
    was, now = _read(_STATED, name, before), _read(_STATED, name, after)
    if was and now and (other := restated(was, now, settings)):
        yield (
            f"{listed(other)}, though the version is the same: restore these entries, or lock the packages "
            "again with the project's package tool"
        )


def _read(readers: Mapping[str, Callable[[str], _Held]], name: str, text: bytes) -> _Held | None:
    """Return what a lock file says; none where it cannot be read."""
    read = readers.get(name)
    try:
        return read(text.decode("utf-8")) if read else None
    except _UNREADABLE:
        return None


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _hosts(text: bytes) -> set[str]:
    return {found.decode("ascii", "replace").lower() for found in _HOST.findall(text)}
