"""Tell what kind of work a change is: its files decide first, what runs shows next, the request last."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from setpoint.checks.languages.all import language_of
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_document, is_settings, kind_of_request, runs
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import Story

_CHANGES_CODE = (WorkKind.BEHAVIOUR, WorkKind.REPAIR, WorkKind.REFACTOR)
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*|\(\d+(?:,\s*\d+)+\)")


def kind_of_change(
    story: Story, before: Mapping[str, bytes], after: Mapping[str, bytes], tests: Collection[str] = ()
) -> tuple[WorkKind, str]:
    """Tell what kind of work a change is, and why.

    Args:
        story: The request.
        before: Changed files at the base, by path.
        after: Changed files of the result, by path.
        tests: Files from which tests were collected at the base, whatever they are called.

    """
    paths = tuple(dict.fromkeys((*before, *after)))
    code = [path for path in paths if path not in tests and _runs_otherwise(path, before, after)]
    wanted, why = kind_of_request(story)
    if code:
        if wanted in _CHANGES_CODE:
            return wanted, why
        return WorkKind.BEHAVIOUR, f"{code[0]} is changed, so it is not {wanted} alone"
    versions = [path for path in paths if runs(path) and is_version_alone(before.get(path), after.get(path))]
    if wanted in _CHANGES_CODE and not _is_asked_for(story, paths, [after[path] for path in versions]):
        return wanted, why
    kind = WorkKind.CHORE if versions else _without_code(paths, tests)
    return kind, _WITHOUT_CODE[kind]


_WITHOUT_CODE = {
    WorkKind.TESTS: "tests alone are changed",
    WorkKind.CHORE: "settings, dependencies or a version alone are changed",
    WorkKind.DOCS: "nothing that runs is changed",
}


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


def _is_asked_for(story: Story, paths: Collection[str], versions: Iterable[bytes]) -> bool:
    """Whether a request names a changed file, or a version of which changed texts speak.

    That tells that no code is wanted, where nothing else says so.
    """
    if story.kind is not None:
        return False
    names = {path.rpartition("/")[2] for path in paths}
    numbers = {each for text in versions for each in _VERSION.findall(text.decode("utf-8", "replace"))}
    spoken = {*names, *(name.partition(".")[0] for name in names), *paths, *numbers}
    return any(
        re.search(rf"(?<![\w/.-]){re.escape(each)}(?![\w/-])", story.wish, re.IGNORECASE)
        for each in spoken
        if len(each) > 1
    )
