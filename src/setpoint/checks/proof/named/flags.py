"""Judge whether a test or command notices that a new option of a command line is given."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from setpoint.checks.proof.named.files import files_with
from setpoint.checks.proof.sensitivity.sabotage import Saboteur
from setpoint.checks.proof.subject import Subject
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_code, runs
from setpoint.model.evidence import CheckState


def added_flags(subject: Subject, flags: Sequence[str]) -> list[str]:
    """Return those of some options that the change adds to the code."""
    before, after = _code(subject, subject.before), _code(subject, subject.after)
    return [flag for flag in flags if _pattern(flag).search(after) and not _pattern(flag).search(before)]


async def unnoticed_flag(subject: Subject, saboteur: Saboteur, flag: str) -> str:
    """Leave a new option out wherever it is given; say what is missing if nothing fails then."""
    if any(flag in each.command for each in saboteur.commands):
        return ""
    own = {path for path in subject.after if _is_program(subject, path)}
    root = Path(saboteur.there.copy.path)
    files = [root / path for path in await files_with(subject, flag) if path not in own]
    texts = {file: await asyncio.to_thread(file.read_bytes) for file in files if file.is_file()}
    paths = {file.relative_to(root).as_posix() for file in texts}
    if not any(is_test_path(path) or is_code(path) for path in paths):
        missing = f"no test gives {flag}: write a test that does, and asserts what it changes"
        return "" if saboteur.commands else missing
    edited = {file: _without(text, flag) for file, text in texts.items()}
    if edited == texts:  # it is given in a way that is not known
        return ""
    for file, text in edited.items():
        await asyncio.to_thread(file.write_bytes, text)
    red = await _red(subject, saboteur, paths)
    for file, text in texts.items():
        await asyncio.to_thread(file.write_bytes, text)
    if red:
        return ""
    return f"no test notices whether {flag} is given: write a test that asserts what it changes"


async def _red(subject: Subject, saboteur: Saboteur, edited: set[str]) -> bool:
    passed = frozenset[str]().union(*saboteur.asked)
    tests = sorted(test for test in passed if test.partition("::")[0] in edited) or sorted(passed)
    if (await subject.run_tests(tests, saboteur.there)).red:
        return True
    results = [await command.run(saboteur.there) for command in saboteur.commands]
    return any(each.state is not CheckState.PASS for each in results)


def _without(text: bytes, flag: str) -> bytes:
    return without(text.decode("utf-8", "surrogateescape"), flag).encode("utf-8", "surrogateescape")


def without(text: str, flag: str) -> str:
    """Return a text in which an option is not given: neither as a word of a list, nor in a command."""
    quoted = rf"""(["'`]){re.escape(flag)}(?:=[^"'`]*)?\1"""
    text = re.sub(rf"{quoted}\s*,\s*", "", text)
    text = re.sub(rf",\s*{quoted}", "", text)
    text = re.sub(rf"[ \t]+{re.escape(flag)}(?:=[^\s\"'`]*)?(?![\w-])", "", text)
    return re.sub(quoted, r"\1\1", text)


def _pattern(flag: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){re.escape(flag)}(?![\w-])")


def _code(subject: Subject, files: Mapping[str, bytes]) -> str:
    texts = [text for path, text in files.items() if _is_program(subject, path)]
    return b"\n".join(texts).decode("utf-8", "replace")


def _is_program(subject: Subject, path: str) -> bool:
    return runs(path) and path not in subject.of_tests
