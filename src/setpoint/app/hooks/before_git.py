"""Check the working tree before git commits or pushes it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from setpoint.app.checks.measure import exit_of
from setpoint.app.checks.watch import WITHOUT_SUSPECTS, measure_once
from setpoint.app.hooks.git_hooks import HOOKS
from setpoint.app.hooks.measure import ChangeCheck, measure_change
from setpoint.app.hooks.turn import TITLE
from setpoint.errors import ExitCode, UsageError
from setpoint.model.evaluation import Evaluation
from setpoint.model.hooks import CheckState
from setpoint.system.git.git import ask, commit_of, head
from setpoint.wiring.project import Project, open_project

Describe = Callable[[Evaluation, bool], str]
"""Writes a verdict as `setpoint check` does; true: of a fast check."""
_NONE = "0" * 40
_FIELDS = 4


class Pushed(NamedTuple):
    """One ref that git pushes, as it names it to its hook."""

    local: str
    """The commit that is pushed; zeros where the ref is deleted."""
    remote: str
    """The commit that the remote has; zeros where the ref is new there."""


def check_before(name: str, remote: str, sent: str, here: Path, described: Describe) -> tuple[ExitCode, str]:
    """Check the tree before git continues; `remote` and `sent` are what git tells its hook `pre-push`.

    A fault of Setpoint never stops git: the text says that nothing was measured.
    """
    try:
        if name not in HOOKS:
            raise UsageError(f"Setpoint has no hook '{name}' of git")
        project = open_project(here)
        fast = name == "pre-commit"
        limits = project.settings.hooks
        if fast:
            found = measure_change(project, "", fast=True, limit_s=limits.limit_s)
        else:
            found = _pushing(project, remote, _read(sent), limits.push_limit_s)
    except Exception as error:  # noqa: BLE001 - the boundary of the hook: no fault of Setpoint stops git
        return ExitCode.OK, f"{TITLE}: not measured: {str(error) or type(error).__name__}"
    if found.evaluation is None:
        return ExitCode.OK, f"{TITLE}: not measured: {found.reason}"
    text = described(found.evaluation, fast)
    if found.state is not CheckState.FAILED:
        return ExitCode.OK, f"{TITLE}: nothing is wrong that the base does not have"
    verb = "commit" if fast else "push"
    return ExitCode.FINDINGS, f"{TITLE}: not yet\n{text}\nhint: git {verb} --no-verify leaves the check out"


def _pushing(project: Project, remote: str, pushed: tuple[Pushed, ...], limit_s: float) -> ChangeCheck:
    now = asyncio.run(head(project.root))
    mine = [each for each in pushed if each.local == now]
    if not mine:
        return ChangeCheck(CheckState.NOT_MEASURED, reason="what is pushed is not what is checked out")
    base = asyncio.run(_known_there(project.root, remote, mine[0]))
    if base:
        return measure_change(project, base, fast=False, limit_s=limit_s)
    try:  # nothing to compare with: all that is wrong counts
        seen = asyncio.run(_whole(project, limit_s))
    except TimeoutError:
        return ChangeCheck(CheckState.NOT_MEASURED, reason=f"the check took longer than {limit_s:g} s")
    wrong = exit_of(seen) is ExitCode.FINDINGS
    return ChangeCheck(CheckState.FAILED if wrong else CheckState.PASSED, seen)


async def _whole(project: Project, limit_s: float) -> Evaluation:
    project = open_project(project.root, WITHOUT_SUSPECTS)
    async with asyncio.timeout(limit_s):
        return await measure_once(project, lambda *_: None, fast=False, since=None)


async def _known_there(root: Path, remote: str, pushed: Pushed) -> str:
    """Return a commit that the remote has and the pushed one descends from; empty where none is known."""
    if pushed.remote != _NONE and await commit_of(root, pushed.remote) is not None:
        return pushed.remote
    for name in (f"{remote}/HEAD", f"{remote}/main", f"{remote}/master"):
        answer = await ask(root, "merge-base", pushed.local, f"refs/remotes/{name}")
        if answer.ok:
            return answer.text
    return ""


def _read(sent: str) -> tuple[Pushed, ...]:
    lines = (line.split() for line in sent.splitlines())
    return tuple(Pushed(words[1], words[3]) for words in lines if len(words) == _FIELDS)
