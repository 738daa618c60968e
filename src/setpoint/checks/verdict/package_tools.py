"""Let the tools of packages judge whether lock files agree with what their projects declare."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.results import tail
from setpoint.checks.verdict.subject import Subject, listed
from setpoint.model.proof import Obligation, ObligationState
from setpoint.ports import Measured
from setpoint.presets.lock_files import LockFile, lock_files
from setpoint.system.processes import Command, Completed, run

_NAME = "package tool"
_LIMIT_S = 120.0


async def package_tools(subject: Subject) -> tuple[Obligation, ...]:
    """Run the tool of each lock file that a change concerns; refusing the base too blames nobody."""
    concerned = list(_concerned(subject))
    if not concerned:
        return ()
    agree: list[str] = []
    wrong: list[tuple[str, LockFile, Completed]] = []
    left: list[str] = []
    there = await subject.checked_out()
    for folder, file in concerned:
        path = f"{folder}{file.lock}"
        done = await _asked(subject, there, folder, file)
        if done is None:
            left.append(f"{path} ({file.argv[0]} is not installed)")
        elif done.ok:
            agree.append(path)
        else:
            wrong.append((folder, file, done))
    if wrong:
        there = await subject.base_checked_out()
    for folder, file, done in wrong:
        path, before = f"{folder}{file.lock}", await _asked(subject, there, folder, file)
        if before is None or before.ok:
            reason = f"`{' '.join(file.argv)}` refuses {path}{tail(done)}: lock the dependencies again"
            return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
        left.append(f"{path} ({file.argv[0]} refuses it at the base too)")
    notes = [f"{listed(agree)} agrees with what is declared"] if agree else []
    notes += [f"not measured: {listed(left)}"] if left else []
    state = ObligationState.MET if agree else ObligationState.NOT_APPLICABLE
    return (Obligation(name=_NAME, state=state, reason="; ".join(notes), evidence=tuple(agree)),)


def _concerned(subject: Subject) -> Iterator[tuple[str, LockFile]]:
    """Yield each lock file that the change concerns, and its folder: empty, or ending in a slash."""
    changed = frozenset(subject.paths)
    for path in sorted(subject.target.files):
        folder = path.removesuffix(PurePosixPath(path).name)
        for file in lock_files():
            if path == f"{folder}{file.lock}" and {path, f"{folder}{file.manifest}"} & changed:
                yield folder, file


async def _asked(subject: Subject, there: Measured, folder: str, file: LockFile) -> Completed | None:
    """Run a tool in a folder of a tree; none where it is not installed."""
    tree = Path(there.copy.path)
    variables = environment(subject.task.project.interpreter, tree, ())
    if shutil.which(file.argv[0], path=variables["PATH"]) is None:
        return None
    place = tree / folder
    return await run(
        Command(argv=file.argv, cwd=place, environment=variables, writes=(place,), timeout_s=_LIMIT_S)
    )
