"""Tests inside source files may not demand less: they are compared, because the file itself has to change.

A file of tests is restored. A source file that also holds tests cannot be, so an edit of these tests blocks
until the maker takes it back or a person releases the file.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping

from setpoint.checks.integrity.inline import doctest_examples, rust_tests
from setpoint.checks.integrity.text_insertions import SCRIPTS, block_at, changes_of_text
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.stories.story import IntegrityMode

_IN_SOURCE = re.compile(r"\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{")
_DOCUMENTED = re.compile(r"doc [^:]+::(?P<path>\S+) - ")


def weakened_inline(
    before: Mapping[str, str], after: Mapping[str, str], ran: Collection[str], mode: IntegrityMode
) -> tuple[Finding, ...]:
    """Return what the work took from tests inside sources; `ran` names the tests of the base.

    Both maps hold the changed files as text, by path. Tests that moved to another file are still there.
    """
    severity = Severity.WARNING if mode is IntegrityMode.FREE else Severity.CRITICAL
    told = [
        *_rust(before, after),
        *_rust_examples(before, after, ran),
        *_in_source(before, after),
        *doctest_examples.lost(before, after, doctest_examples.ran_in(ran)),
    ]
    return tuple(
        Finding(
            source="integrity",
            rule="inline",
            severity=severity,
            category=Category.INTEGRITY,
            message=f"{path}: {f'`{name}`: ' if name else ''}{what}",
            file=path,
            symbol=name,
            detail=(
                "Tests and examples inside a source file are protected like files of tests. Put them back as "
                "they were at the base and fix the code instead; add new ones beside them. If the wanted "
                "behaviour makes one wrong, say so and why, and leave it as it is."
            ),
        )
        for path, name, what in told
    )


def _sources(files: Mapping[str, str], *endings: str) -> dict[str, str]:
    return {path: text for path, text in files.items() if path.endswith(endings) and not is_test_path(path)}


def _rust(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    old, new = _sources(before, ".rs"), {path: text for path, text in after.items() if path.endswith(".rs")}
    standing = Counter(_plain(item.text) for text in new.values() for item in rust_tests.items(text))
    for path in sorted(old):
        there: dict[str, list[str]] = defaultdict(list)
        for item in rust_tests.items(new.get(path, "")):
            there[item.name].append(item.text)
        for item in rust_tests.items(old[path]):
            now = there[item.name].pop(0) if there[item.name] else None
            if standing[_plain(item.text)]:
                continue
            if now is None:
                yield path, item.name, "the tests inside this source are gone"
            elif not item.is_module or changes_of_text(path, item.text, now):
                yield path, item.name, "existing tests inside this source were edited"
    for path in sorted(new):
        for name in rust_tests.own_assertions(new[path]) - rust_tests.own_assertions(before.get(path, "")):
            yield path, name, "a macro of that name takes the place of the assertion that tests use"
        grown = rust_tests.other_builds(new[path]) - rust_tests.other_builds(before.get(path, ""))
        for condition in grown if not is_test_path(path) else ():
            yield path, condition, "tests would run other code than users: remove the condition"


def _rust_examples(
    before: Mapping[str, str], after: Mapping[str, str], ran: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    documented = {found["path"] for test in ran if (found := _DOCUMENTED.match(test)) is not None}
    standing = [
        each for path, text in after.items() if path.endswith(".rs") for each in rust_tests.examples(text)
    ]
    for path, text in sorted(_sources(before, ".rs").items()):
        if not any(path == each or path.endswith(f"/{each}") for each in documented):
            continue
        for example in rust_tests.examples(text):
            if not any(each[: len(example)] == example for each in standing):
                yield path, "", f"an example in the documentation was edited or is gone ({_first(example)})"


def _in_source(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    scripts = tuple(each for each in SCRIPTS if each not in (".go", ".rs"))
    standing = {_plain(block) for text in after.values() for block in _blocks(text)}
    for path, text in sorted(_sources(before, *scripts).items()):
        now = _blocks(after.get(path, ""))
        for number, block in enumerate(_blocks(text)):
            if _plain(block) in standing:
                continue
            if number >= len(now):
                yield path, "import.meta.vitest", "the tests inside this source are gone"
            elif changes_of_text(path, block, now[number]):
                yield path, "import.meta.vitest", "existing tests inside this source were edited"


def _blocks(text: str) -> list[str]:
    """Return the insides of the blocks that vitest runs."""
    return [block_at(text, found.end() - 1) for found in _IN_SOURCE.finditer(text)]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _first(example: tuple[str, ...]) -> str:
    return next((line for line in example[1:] if line), "empty")[:80]
