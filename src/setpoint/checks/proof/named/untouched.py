"""Say that a repair leaves the function that the request names as it was, and all that this function uses.

Such a change cannot alter what the function answers. If a test passes then, it compares with something else.
Code is read in pieces, each from one line without indentation to the next; a piece uses all others whose
names it mentions. That errs on the side of the change.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from setpoint.checks.proof.instrument.own_command import commands_of, is_run_by
from setpoint.checks.proof.named.request_names import requested
from setpoint.checks.proof.subject import Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.checks.trees.checkout import repository_of
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import is_program
from setpoint.model.proof import WorkKind
from setpoint.system.git.git import contents, files_at

_FIXES = re.compile(
    r"^\W*(?:\w+(?:\([\w/-]+\))?!?:\s+)?(?:fix|repair|correct|mend)(?:es|s|ed)?\s+(?:the\s+)?"
    r"(?:function\s+)?([A-Za-z_]\w+)\s*(?::|\(|,)",
    re.IGNORECASE,
)
"""A request that begins with what it wants to be repaired."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINES = re.compile(
    r"\b(?:def|function|func|fn|class|struct|enum|trait|interface|type|sub|module|object)\s+"
    r"(?:\([^()]*\)\s*)?([A-Za-z_]\w*)"
    r"|^[ \t]*(?:(?:export|default|const|let|var|static|async|public|private|protected|final|pub|readonly"
    r"|declare)\s+)*([A-Za-z_][\w.]*)\s*(?::[^=\n]*)?(?:=(?!=)|:|\([^\n]*\)\s*(?:->[^\n]*|:[^\n]*)?\{)",
    re.MULTILINE,
)
_OPENS = re.compile(r"^(?=[^\s#/*)}\]])", re.MULTILINE)
_GIVES_ON = re.compile(r"@|\b(?:import|require|from|use|include|source)\b|^\.\s|=\s*$")
_MOST_FILES, _MOST_BYTES = 400, 4 << 20


@dataclass(frozen=True)
class _Piece:
    path: str
    text: str

    @property
    def mentions(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.text))

    @property
    def defines(self) -> frozenset[str]:
        found = {(one or other).rpartition(".")[2] for one, other in _DEFINES.findall(self.text)}
        imports = _GIVES_ON.search(self.text.partition("\n")[0]) is not None
        return frozenset(found) | (self.mentions if imports else frozenset())


async def untouched(subject: Subject) -> str:
    """Say which functions a repair names and leaves as they were; empty where it reaches one of them."""
    wish = subject.task.story.wish
    asked = {*requested(wish).names, *_FIXES.findall(wish)}
    if subject.work is not WorkKind.REPAIR or not asked:
        return ""
    root = repository_of(subject.place.copy)
    before, now = [
        await _pieces(subject, root, commit) for commit in (subject.base.commit, subject.place.commit)
    ]
    if before is None or now is None:
        return ""
    names = asked & {name for each in before for name in each.defines}
    if not names or reaches(names, before, now, _others(subject)):
        return ""
    return (
        f"the request asks to repair {listed(sorted(names))}, which stays as it was, with all that it uses: "
        "change what it answers, not what the tests compare with"
    )


def reaches(
    names: Collection[str], before: Collection[_Piece], now: Collection[_Piece], others: Iterable[str]
) -> bool:
    """Whether functions use something that differs, or what differs uses one of them.

    Args:
        names: Of the functions.
        before: The code of the base.
        now: The code of the result.
        others: Changed files that do not hold code.

    """
    changed = set(before) ^ set(now)
    used = _used(names, (*now, *before))
    if used & changed or any(each.mentions & set(names) for each in changed):
        return True
    said = {word for each in used for word in each.mentions} - set(names)
    paths = {*others, *(each.path for each in changed)}
    return any(said & set(_words_of(path)) for path in paths)


def _used(names: Collection[str], pieces: Collection[_Piece]) -> set[_Piece]:
    """Return the pieces that define some names, and all that these use."""
    by_name: dict[str, list[_Piece]] = {}
    for each in pieces:
        for name in each.defines:
            by_name.setdefault(name, []).append(each)
    found, waiting = set[_Piece](), list(names)
    seen = set(waiting)
    while waiting:
        for piece in by_name.get(waiting.pop(), ()):
            if piece not in found:
                found.add(piece)
                new = piece.mentions - seen
                seen |= new
                waiting += new
    return found


def _words_of(path: str) -> Iterator[str]:
    """Yield how code may speak of a file."""
    place = PurePosixPath(path)
    yield from _WORD.findall(" ".join((*place.parts[:-1], place.stem)))


def _others(subject: Subject) -> list[str]:
    return [path for path in subject.paths if path not in subject.of_tests and not is_program(path)]


async def _pieces(subject: Subject, root: Path, commit: str) -> list[_Piece] | None:
    """Return the code of a commit outside of tests; none where there is too much of it."""
    commands = [*commands_of(subject, witness.passed_in(subject.now.tests))]
    paths = [
        path
        for path in await files_at(root, commit)
        if not any(is_run_by(path, each) for each in commands)
        and (is_program(path) or "." not in path.rpartition("/")[2])
        and not is_test_path(path)
    ]
    if len(paths) > _MOST_FILES:
        return None
    texts: Mapping[str, bytes] = await contents(
        root, commit, [each for each in paths if each not in subject.of_tests]
    )
    if sum(map(len, texts.values())) > _MOST_BYTES:
        return None
    return [
        _Piece(path, text)
        for path, source in texts.items()
        for text in pieces_of(source.decode("utf-8", "replace"))
    ]


def pieces_of(text: str) -> Iterator[str]:
    """Yield what begins without indentation, up to the next; decorators belong to what follows."""
    starts = [each.start() for each in _OPENS.finditer(text)]
    held = ""
    for start, end in zip(starts, [*starts[1:], len(text)][: len(starts)], strict=True):
        piece = held + text[start:end].strip()
        held = f"{piece}\n" if piece.startswith(("@", "#[")) and "\n" not in piece.strip() else ""
        if not held and piece:
            yield piece
