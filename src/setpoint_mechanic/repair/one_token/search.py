"""The search: candidate edits, likeliest first, each tried on the failing tests, the first fit on all."""

from __future__ import annotations

import difflib
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from setpoint.model.attempt import Brief
from setpoint.model.evidence import Failure
from setpoint.model.suite_command import SuiteCommand
from setpoint_mechanic.engine.wire.repair import Patch, Result, Suspect, digest
from setpoint_mechanic.repair.one_token.grammars import parser_of, suffix_of
from setpoint_mechanic.repair.one_token.places import Source, suspicious
from setpoint_mechanic.repair.one_token.templates import WEAK, Edit, edits_of
from setpoint_mechanic.repair.one_token.trial import Copy, Ended, may_own

MOST_TRIED = 600
"""Edits that one search tries."""
ALTERNATIVES_S = 5.0
"""Seconds that a search goes on after its first repair, to name others that satisfy the same tests."""
_MOST_SUSPECTS = 5
_FIRST_S, _LEAST_S, _SLOWER = 240.0, 10.0, 3.0


class Candidate(NamedTuple):
    """An edit of a file, with how likely it is to be the repair."""

    file: str
    edit: Edit
    score: float

    def apply(self, text: bytes) -> bytes:
        """Return the text of the file with the edit."""
        return text[: self.edit.start] + self.edit.text.encode() + text[self.edit.end :]


class _Group(NamedTuple):
    """The failing tests of one command, and how they ended without an edit."""

    command: SuiteCommand
    tests: tuple[str, ...]
    before: Ended


def candidates(sources: Mapping[str, Source]) -> list[Candidate]:
    """Return the edits of suspicious lines, likeliest first, each text once."""
    found = [
        Candidate(file, edit, edit.likely * source.lines[edit.line])
        for file, source in sources.items()
        for edit in edits_of(source.root, source.lines)
    ]
    found.sort(key=lambda each: -each.score)
    return list({(each.file, *each.edit[:3]): each for each in found}.values())


@dataclass
class Search:
    """One search for a repair of failing tests."""

    copy: Copy
    brief: Brief
    failures: Sequence[Failure]
    until: float
    """When to end, by the monotonic clock."""
    avoid: Collection[str] = ()
    """Digests of changes that did not satisfy before."""
    result: Result = field(default_factory=lambda: Result(mode="each tried in a copy"))
    _sources: Mapping[str, Source] = field(default_factory=dict)
    _every: dict[str, Ended] = field(default_factory=dict)
    """How all tests ended without an edit, by command."""

    async def run(self) -> Result:
        """Look for an edit with which the failing tests pass and no other test fails."""
        began = time.monotonic()
        groups = await self._groups()
        self.result.failing = [test for each in groups for test in each.tests]
        asked = [each.test for each in self.failures]
        self.result.not_failing = [test for test in asked if test not in self.result.failing]
        if not groups:
            self.result.reason = "none of the failing tests was seen to fail in a copy of the tree"
            return self.result
        failing = [each for each in self.failures if each.test in self.result.failing]
        self._sources = suspicious(self.brief, failing)
        ordered = candidates(self._sources)
        self.result.candidates = len(ordered)
        self.result.suspects = self._suspects()
        if not ordered:
            self.result.reason = "no file of the project was found that the failing tests use"
            return self.result
        await self._try(ordered, groups)
        self.result.seconds["search"] = time.monotonic() - began
        return self.result

    async def _groups(self) -> list[_Group]:
        """Run the failing tests without an edit, by every command that can be theirs."""
        found, left = list[_Group](), [each.test for each in self.failures]
        for command in self.brief.suite_commands:
            mine = [test for test in left if may_own(command, test, self.copy.source)]
            if mine:
                ended = await self.copy.run(command, mine, max(self.until - time.monotonic(), _LEAST_S))
                red = tuple(test for test in mine if ended.outcomes.get(test) is False)
                found += [_Group(command, red, ended)] if red else []
                left = [test for test in left if test not in red]
        return found

    async def _try(self, ordered: Sequence[Candidate], groups: Sequence[_Group]) -> None:
        families = Counter[str]()
        self.result.status, self.result.reason = "exhausted", "no edit of one token makes them pass"
        for each in ordered:
            if spent := self._spent():
                if not self.result.patches:
                    self.result.status, self.result.reason = "budget", spent
                break
            text = each.apply(self._sources[each.file].text)
            diff = self._diff(each, text)
            if not diff or digest(each.file, diff) in self.avoid or not _parses(each.file, text):
                continue
            self.result.tried += 1
            families[each.edit.family] += 1
            others = await self._holds(each, text, groups) if await self._fits(each, text, groups) else None
            if others is not None:
                self.result.patches.append(self._patch(each, text, diff, others))
                self.result.status, self.result.reason = "repaired", "the failing tests pass"
                if each.edit.family not in WEAK:
                    self.until = min(self.until, time.monotonic() + ALTERNATIVES_S)
        self.result.patches.sort(key=lambda each: each.template in WEAK)
        self.result.families = dict(families.most_common())

    def _spent(self) -> str:
        """Say which limit of the search is reached; empty while none is."""
        if time.monotonic() > self.until:
            return "the time was used up"
        return f"it tries {MOST_TRIED} edits at most" if self.result.tried >= MOST_TRIED else ""

    async def _fits(self, tried: Candidate, text: bytes, groups: Sequence[_Group]) -> bool:
        """Say whether all failing tests pass with an edit."""
        for group, tests in (step for each in groups for step in _steps(each)):
            limit_s = max(_LEAST_S, _SLOWER * group.before.seconds)
            ended = await self._with(tried, text, group.command, tests, limit_s)
            self.result.timeouts += ended.timed_out
            self.result.discarded += not ended.outcomes and not ended.timed_out
            if not all(ended.outcomes.get(test) for test in tests) or _broken(group.before, ended):
                return False
        return True

    async def _holds(self, tried: Candidate, text: bytes, groups: Sequence[_Group]) -> int | None:
        """Count the other tests that pass with an edit; none where it breaks one."""
        others = 0
        for group in groups:
            key = group.command.model_dump_json()
            if key not in self._every:
                self._every[key] = await self.copy.run(group.command, (), _FIRST_S)
            before = self._every[key]
            ended = await self._with(tried, text, group.command, (), max(_LEAST_S, _SLOWER * before.seconds))
            if _broken(before, ended) or not all(ended.outcomes.get(test) for test in group.tests):
                return None
            others += sum(
                passed and before.outcomes.get(test) is True
                for test, passed in ended.outcomes.items()
                if "::" in test  # else it is a file or a package
            )
        return others

    async def _with(
        self, tried: Candidate, text: bytes, command: SuiteCommand, tests: Sequence[str], limit_s: float
    ) -> Ended:
        place = self.copy.tree / tried.file
        place.write_bytes(text)
        try:
            return await self.copy.run(command, tests, limit_s)
        finally:
            place.write_bytes(self._sources[tried.file].text)

    def _diff(self, each: Candidate, text: bytes) -> str:
        before = self._sources[each.file].text.decode("utf-8", "replace").splitlines(keepends=True)
        after = text.decode("utf-8", "replace").splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, f"a/{each.file}", f"b/{each.file}"))

    def _patch(self, each: Candidate, text: bytes, diff: str, others: int) -> Patch:
        return Patch(
            file=each.file,
            line=each.edit.line,
            template=each.edit.family,
            diff=diff,
            text=text.decode("utf-8"),
            size=1,
            score=each.score,
            cleared=tuple(self.result.failing),
            remaining=(),
            checked=others,
            digest=digest(each.file, diff),
            confirmed=True,
        )

    def _suspects(self) -> list[Suspect]:
        ranked = [
            Suspect(each.file, each.line, each.score, each.text)
            for each in sorted(self.brief.suspects, key=lambda each: each.rank)
            if each.file in self._sources
        ]
        if ranked:
            return ranked[:_MOST_SUSPECTS]
        scored = [
            Suspect(file, line, min(score, 1.0), _line(source.text, line))
            for file, source in self._sources.items()
            for line, score in source.lines.items()
        ]
        told = (each for each in scored if each.text.strip(" {}()[];,\t"))
        return sorted(told, key=lambda each: -each.score)[:_MOST_SUSPECTS]


def _steps(group: _Group) -> Iterator[tuple[_Group, tuple[str, ...]]]:
    """Yield the tests of one file or package first, which most edits fail, then all."""
    first = group.tests[0].partition("::")[0]
    own = tuple(test for test in group.tests if test.partition("::")[0] == first)
    if len(own) < len(group.tests):
        yield group, own
    yield group, group.tests


def _broken(before: Ended, after: Ended) -> bool:
    """Whether a test fails that passed before."""
    return any(passed and after.outcomes.get(test) is False for test, passed in before.outcomes.items())


def _parses(file: str, text: bytes) -> bool:
    parser = parser_of(suffix_of(file))
    return parser is not None and not parser.parse(text).root_node.has_error


def _line(text: bytes, line: int) -> str:
    lines = text.splitlines()
    return lines[line - 1].decode("utf-8", "replace").strip() if line <= len(lines) else ""
