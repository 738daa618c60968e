"""What a diff changes, place by place: a function or class of a file, with a patch of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from setpoint.model.changes.diff import files_of
from setpoint.model.changes.test_paths import is_test_path

COMMENT = re.compile(
    r"\s*(?:#(?!\s*(?:include|define|if|ifdef|ifndef|elif|else|endif|undef|pragma|region)\b|!?\[)"
    r"|//|/\*|\*(?:[\s/*]|$)|--\s|<!--|;|$)"
)
"""A line that holds nothing but a comment, or nothing, in the languages that begin one so."""
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")
_NAMED = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|static|final|async|pub(?:\(\w+\))?)\s+)*"
    r"(?:def|class|func|fn|function|interface|struct|impl|trait|module)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_NEAR = 2
"""Lines between a finding and a change that is about it."""


@dataclass(kw_only=True)
class Change:
    """What a diff changes in one place."""

    file: str
    symbol: str = ""
    """Function or class; empty outside of any, and where a whole file comes or goes."""
    out: list[str] = field(default_factory=list)
    """Removed lines."""
    put: list[str] = field(default_factory=list)
    """Added lines."""
    at: list[int] = field(default_factory=list)
    """Where, as lines of the old file."""
    patch: str = ""
    """The diff of this place alone, which can be taken back from the new tree."""
    new: bool = False
    """The file is new."""

    @property
    def place(self) -> str:
        """Name it in a sentence."""
        return f"`{self.symbol}` (`{self.file}`)" if self.symbol else f"`{self.file}`"

    @property
    def works(self) -> bool:
        """Whether it is more than comments and empty lines, and no new file of tests."""
        told = not all(COMMENT.fullmatch(line) or COMMENT.match(line) for line in (*self.out, *self.put))
        return told and not (self.new and is_test_path(self.file))

    @property
    def adds(self) -> bool:
        """Whether it is code that was not there at all, as a new feature is."""
        new = self.new or (not self.out and any(_NAMED.match(line) for line in self.put))
        return new and not is_test_path(self.file)

    def near(self, line: int) -> bool:
        """Whether it changes a line of the old file, or one beside it."""
        return bool(self.at) and min(self.at) - _NEAR <= line <= max(self.at) + _NEAR


def changes_of(diff: str) -> tuple[Change, ...]:
    """Return the changes of a unified diff, each place once."""
    return tuple(each for path, section in files_of(diff).items() for each in _of_file(path, section))


def _of_file(path: str, section: str) -> Iterator[Change]:
    head, *hunks = re.split(r"^(?=@@ )", section, flags=re.MULTILINE)
    if "/dev/null" in head:
        lines = [line for hunk in hunks for line in hunk.split("\n")]
        out, put = ([line[1:] for line in lines if line.startswith(sign)] for sign in "-+")
        yield Change(file=path, out=out, put=put, at=[1], patch=section, new="--- /dev/null" in head)
        return
    found: dict[str, Change] = {}
    for hunk in hunks:
        first, *lines = hunk.removesuffix("\n").split("\n")
        if not (begun := _HUNK.match(first)):
            continue
        lines = [line or " " for line in lines]
        owners = _owners(lines, begun.group(3))
        old = int(begun.group(1))
        for line, owner in zip(lines, owners, strict=True):
            if line[0] in "+-":
                change = found.setdefault(owner, Change(file=path, symbol=owner, patch=head))
                (change.put if line[0] == "+" else change.out).append(line[1:])
                change.at.append(old)
            old += line[0] in " -"
        for owner in dict.fromkeys(
            owner for line, owner in zip(lines, owners, strict=True) if line[0] in "+-"
        ):
            found[owner].patch += _alone(lines, owners, owner, int(begun.group(2)))
    yield from found.values()


def _owners(lines: list[str], named: str) -> list[str]:
    """Name what each line of a hunk lies in; lines put in together are one place, of the last name."""
    owner, owners = _name_of(named, ""), list[str]()
    for changed, some in groupby(lines, key=lambda line: line[0] in "+-"):
        run = list(some)
        gone = sum(line[0] == "-" for line in run)
        if changed and gone:  # as many added lines replace the removed ones
            owner = _name_of(run[0][1:], owner)
            owners += [owner] * min(2 * gone, len(run))
            run = run[2 * gone :]
        for place, line in enumerate(run):
            owner = _name_of(line[1:], owner)
            owners.append(owner)
            if changed and not gone:
                owners[-place - 1 :] = [owner] * (place + 1)
    return owners


def _name_of(line: str, before: str) -> str:
    """Name what begins with a line, or the one before; a constructor is its class."""
    if found := _NAMED.match(line):
        return before if found.group(1).startswith("__") and before else found.group(1)
    return "" if re.match(r"[A-Za-z_@]", line) else before


def _alone(lines: list[str], owners: list[str], owner: str, begin: int) -> str:
    """Write a hunk with one place's changes; others' lines are as in the new file."""
    kept = []
    for line, own in zip(lines, owners, strict=True):
        if own == owner or line[0] not in "+-":
            kept.append(line)
        elif line[0] == "+":
            kept.append(f" {line[1:]}")
    gone, come = (sum(line[0] in f" {sign}" for line in kept) for sign in "-+")
    text = "\n".join(kept)
    return f"@@ -{begin},{gone} +{begin},{come} @@\n{text}\n"
