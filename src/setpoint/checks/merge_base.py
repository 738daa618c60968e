"""What the merge base holds already: the static tools look there too, so that nobody is blamed for it.

Tests that fail count wherever they failed before, because a check says whether the tree is green.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.checks.trees.checkout import check_out_commit
from setpoint.errors import UsageError
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import OWN_COMMAND, CheckState, Evidence, Fault
from setpoint.model.ids import Commit, Tree
from setpoint.presets import presets
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import ask, commit_of, git, tree_of

if TYPE_CHECKING:
    from setpoint.checks.baseline import Measurements
    from setpoint.checks.measurement import Measuring, Task
    from setpoint.checks.run import Group
    from setpoint.ports import Measured

_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
"""Where work usually goes to; the first that the repository has."""
_SHORT = 10


@dataclass(frozen=True, kw_only=True)
class MergePoint:
    """The commit with which a tree is compared."""

    commit: Commit
    tree: Tree
    words: str
    """Which one it is, for a person."""
    named: bool = False
    """Whether a person named what to compare with: then the own command is compared, too."""

    @property
    def identity(self) -> tuple[str, ...]:
        """Everything that decides what is left out, and how it is named."""
        return (self.commit, self.words, str(self.named))


async def merge_base_of(root: Path, head: Commit, since: str | None) -> MergePoint | None:
    """Return the merge base of the last commit and `since`; empty: of it and the default branch; none: none.

    It is the last commit itself where no branch is found or nothing is in common. Raises `UsageError` where
    `since` is not a commit.
    """
    if since is None:
        return None
    if since and await commit_of(root, since) is None:
        raise UsageError(f"{root}: {since!r} is not a commit", hint="name a branch, a tag or a commit")
    if name := since or await _branch(root):
        answer = await ask(root, "merge-base", head, name)
        if answer.ok and answer.text and answer.text != head:
            found = Commit(answer.text)
            words = f"the merge base with {name}, {found[:_SHORT]}"
            return MergePoint(commit=found, tree=await tree_of(root, found), words=words, named=bool(since))
    words = f"the last commit, {head[:_SHORT]}"
    return MergePoint(commit=head, tree=await tree_of(root, head), words=words, named=bool(since))


async def _branch(root: Path) -> str:
    """Return the branch to which work usually goes; empty where the repository has none of them."""
    names = "".join(f"{name}^{{commit}}\n" for name in _BRANCHES)
    found = await git(root, "cat-file", "--batch-check=%(objecttype)", stdin=names.encode())
    known = zip(_BRANCHES, found.text.splitlines(), strict=True)
    return next((name for name, kind in known if kind == "commit"), "")


async def measured_at(
    base: MergePoint,
    measuring: Measuring,
    task: Task,
    place: Measured,
    folders: ProjectFolders,
    raw: Measurements,
) -> Measurements:
    """Run the static tools on the base, and the own command where `raw` says that it fails after the change.

    Tools whose answers do not last would ask others again: they are left out.
    """
    from setpoint.checks.baseline import Measurements
    from setpoint.checks.run import measure
    from setpoint.ports import Measured

    copy = place.copy._replace(base=base.commit, base_tree=base.tree)
    await check_out_commit(folders, copy, base.commit)
    there = Measured(copy, base.commit, base.tree, Stage.BASE)
    bench = replace(measuring.bench(task, Stage.EVALUATE), told=lambda _: None)
    target = await measuring.target(replace(task, fast=False), there)
    with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
        plan = measuring.plan(task, copy.trace_id, Path(scratch))
        groups = (plan.parse(target), *plan.static(target))
        lasting = tuple(each for each in groups if each.identity is not None)
        own: tuple[Group, ...] = ()
        if base.named and (found := raw.result(OWN_COMMAND)) is not None and found.findings:
            own = measuring.own_count(plan, replace(target, stage=Stage.BASE), raw.results, None)
        results = await measure(there, lasting, own, bench)
    return Measurements(stage=Stage.BASE, commit=base.commit, tree=base.tree, results=results)


def wrong(raw: Measurements) -> bool:
    """Whether a tree has anything for which the base may be to blame."""
    ours = (each for each in raw.results if each.tests is None)
    return any(each.findings or each.state is CheckState.ERROR for each in ours)


def compared(seen: Evaluation, raw: Measurements, stood: Measurements | None, words: str) -> Evaluation:
    """Say what a tree was compared with, and take the blame from tools that break at the base too."""
    from setpoint.checks.baseline import blamed

    all_new = sum(len(blamed(each, stood)) for each in raw.results)
    known = sum(len(each.findings) for each in raw.results) - all_new
    evidence = tuple(_excused(each, stood) for each in seen.evidence) if stood else seen.evidence
    return seen.model_copy(update={"evidence": evidence, "compared": words, "existing": known})


def _excused(evidence: Evidence, stood: Measurements) -> Evidence:
    """A known tool that broke at the base too says nothing about the change."""
    before = stood.result(evidence.check)
    if evidence.state is not CheckState.ERROR or evidence.check not in presets():
        return evidence
    if before is None or before.state is not CheckState.ERROR or evidence.fault is Fault.MISSING_TOOL:
        return evidence
    reason = f"broke at the base commit too: {evidence.reason}"
    return evidence.model_copy(update={"state": CheckState.NOT_MEASURED, "reason": reason})
