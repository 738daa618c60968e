"""What new suppressions hide: the static tools run once more, on the files without them.

The comments that silence something and that the work brought in are removed in a place apart, line by line,
and the tools that look at such files run there. What they say then and did not say before was hidden. This
works for every tool, whatever its own switch for it is called.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.baseline import new_findings
from setpoint.checks.integrity.suppressions import Grown, unmasked
from setpoint.checks.run import Bench, Group, run_group
from setpoint.checks.trees.checkout import put_at, repository_of
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Finding
from setpoint.model.ids import Commit, Tree
from setpoint.ports import Measured
from setpoint.system.git.git import git
from setpoint.system.git.separate_repository import repository_apart

MOST_SHOWN = 20
"""More hidden findings of one file than this are left out."""


@dataclass(frozen=True, kw_only=True)
class Bared:
    """A tree without its new suppressions, and what was found in it."""

    results: tuple[CheckResult, ...]
    files: frozenset[str]

    def hidden(self, raw: tuple[CheckResult, ...]) -> dict[str, tuple[str, ...]]:
        """Say what the suppressions hide, by path, given what was found with them."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        stood = {result.evidence.check: result for result in raw}
        for result in self.results:
            before = stood.get(result.evidence.check)
            if before is None or CheckState.ERROR in (result.state, before.state):
                continue
            for finding in new_findings(result.findings, before.findings):
                if finding.file in self.files:
                    found[finding.file].append(_said(result.evidence.check, finding))
        return {path: tuple(texts[:MOST_SHOWN]) for path, texts in found.items()}


async def bare(
    place: Path, measured: Measured, grown: tuple[Grown, ...], sources: Mapping[str, str]
) -> tuple[Measured, frozenset[str]]:
    """Check out the tree without its new suppressions; gives also the files that differ."""
    new: defaultdict[str, list[Grown]] = defaultdict(list)
    for each in grown:
        new[each.path].append(each)
    marks = {path: tuple(one for each in held for one in each.new) for path, held in new.items()}
    await put_at(place, repository_of(measured.copy), measured.commit)
    texts = {path: unmasked(path, sources[path], marks) for path in marks}
    differing = {path: text for path, text in texts.items() if text != sources[path]}
    await asyncio.to_thread(_write, place, differing)
    index = {"GIT_INDEX_FILE": str(repository_apart(place) / "setpoint-bare")}
    await git(place, "read-tree", measured.commit, environment=index)
    await git(place, "add", "--update", environment=index)
    tree = Tree((await git(place, "write-tree", environment=index)).text)
    dates = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
    words = ("commit-tree", tree, "-p", measured.commit, "-m", "Without its new suppressions")
    commit = Commit((await git(place, *words, environment=dates)).text)
    await put_at(place, repository_of(measured.copy), commit)
    copy = measured.copy._replace(path=str(place))
    return measured._replace(copy=copy, commit=commit, tree=tree), frozenset(differing)


async def run_bare(
    groups: tuple[Group, ...], measured: Measured, files: frozenset[str], bench: Bench
) -> Bared:
    """Run the tools on the tree without suppressions."""
    if not files:
        return Bared(results=(), files=files)
    made = [await run_group(group, measured, bench) for group in groups]
    return Bared(results=tuple(result for each in made for result in each), files=files)


def _write(place: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        file = place / path
        if file.is_file() and not file.is_symlink():
            file.write_text(text, "utf-8", newline="")


def _said(check: str, finding: Finding) -> str:
    return f"{check} {finding.rule} {finding.message[:160]} (line {finding.line})".replace("  ", " ")
