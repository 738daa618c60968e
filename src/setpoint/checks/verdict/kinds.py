"""Tell what kind of work a change is: its files decide first, what runs shows next, the request last."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from setpoint.checks.languages.all import language_of
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_document, is_settings, kind_of_request, runs, speaks_of
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import Story

_CHANGES_CODE = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*|\(\d+(?:,\s*\d+)+\)")


class Kind(NamedTuple):
    """What kind of work a change is."""

    work: WorkKind
    why: str
    promises_nothing: bool = False
    """Whether request or files promise that no outcome changes: without a witness it is a refactoring."""
    files_say: WorkKind | None = None
    """The kind that the files alone say, where the request does not speak of it."""


def kind_of_change(
    story: Story, before: Mapping[str, bytes], after: Mapping[str, bytes], tests: Collection[str] = ()
) -> Kind:
    """Tell what kind of work a change is, from its files at the base and on the result, by path.

    `tests` are files from which tests were collected at the base, whatever they are called.
    """
    paths = tuple(dict.fromkeys((*before, *after)))
    code = [path for path in paths if path not in tests and _runs_otherwise(path, before, after)]
    wanted, why = kind_of_request(story)
    if code and wanted in _CHANGES_CODE:
        return Kind(wanted, why, all(_adds_nothing(path, before, after) for path in code))
    if code:
        return Kind(
            WorkKind.BEHAVIOUR, f"{code[0]} is changed, so it is not {wanted} alone", promises_nothing=True
        )
    versions = [path for path in paths if runs(path) and is_version_alone(before.get(path), after.get(path))]
    kind = WorkKind.CHORE if versions else _without_code(paths, tests)
    if wanted in _CHANGES_CODE and not _is_asked_for(story, kind, before, after):
        return Kind(wanted, why, files_say=kind)
    return Kind(kind, f"no code is changed, and the files are of the kind '{kind}'")


def _adds_nothing(path: str, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bool:
    """Whether a change only removes lines of a file, or differs from the base in types alone."""
    if path not in before or path not in after:
        return path in before
    language = language_of(path)
    if language is not None and language.same_but_types(before[path], after[path], path):
        return True
    left = iter(before[path].splitlines())
    return all(line in left for line in after[path].splitlines())


def _without_code(paths: Collection[str], tests: Collection[str]) -> WorkKind:
    """Tell the kind of a change in which nothing runs otherwise."""
    if any(is_test_path(path) or path in tests for path in paths):
        return WorkKind.TESTS
    if all(is_document(path) for path in paths):
        return WorkKind.DOCS
    if any(is_settings(path) for path in paths):
        return WorkKind.CHORE
    return WorkKind.DOCS


def _runs_otherwise(path: str, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bool:
    """Whether a file is part of what runs, and differs in more than comments, layout and a version."""
    if not runs(path):
        return False
    if path not in before or path not in after:
        return True
    language = language_of(path)
    if language is not None and language.same_program(before[path], after[path], path):
        return False
    return not is_version_alone(before[path], after[path])


def is_version_alone(before: bytes | None, after: bytes | None) -> bool:
    """Whether two texts differ in nothing but version numbers, in lines that speak of a version."""
    if before is None or after is None:
        return False
    lines = [text.decode("utf-8", "replace").splitlines() for text in (before, after)]
    if len(lines[0]) != len(lines[1]):
        return False
    pairs = [(old, new) for old, new in zip(*lines, strict=True) if old != new]
    return bool(pairs) and all(
        "version" in new.lower() and _VERSION.sub("0", old) == _VERSION.sub("0", new) for old, new in pairs
    )


def _is_asked_for(
    story: Story, kind: WorkKind, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> bool:
    """Whether a request speaks of work without code: of a changed file, of a version, or of such work."""
    names = {path.rpartition("/")[2] for path in (*before, *after)}
    old, new = (
        {each for text in some.values() for each in _VERSION.findall(text.decode("utf-8", "replace"))}
        for some in (before, after)
    )
    spoken = {*names, *(name.partition(".")[0] for name in names), *before, *after}
    spoken |= {spelt for number in new - old for spelt in (number, f"v{number}")}
    return story.kind is None and speaks_of(story, kind, (each for each in spoken if len(each) > 1))
