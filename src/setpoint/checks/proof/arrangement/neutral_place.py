"""A place in which nothing says that Setpoint measures: a neutral path, and plain variables.

Code can behave only where it is measured, and it recognises that by what Setpoint sets: a folder called
`measured`, variables, a plug-in, coverage. None of that is here.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks.discovery.interpreter import environment
from setpoint.checks.discovery.own_commands.variables import with_own
from setpoint.checks.discovery.python_packages import TestRoot
from setpoint.checks.measurement import link
from setpoint.checks.proof.subject import Subject
from setpoint.checks.suites.steps_before import run_before
from setpoint.checks.trees.checkout import put_at, repository_of
from setpoint.model.ids import Commit
from setpoint.system.processes import Command, Completed, run

_PACKAGES = "node_modules"
_OURS = frozenset(
    (
        "GIT_TERMINAL_PROMPT", "GIT_CEILING_DIRECTORIES", "PYTHONPYCACHEPREFIX",
    )
)  # fmt: skip
"""Variables of every other check that a person's own shell would not have.

Compiled files that a test leaves in the tree go before the next run.
"""


@dataclass(frozen=True, kw_only=True)
class NeutralPlace:
    """A folder in which the tree of a subject, or its base, is run plainly."""

    subject: Subject
    folder: Path
    """Holds the tree, and beside it what the runs leave."""
    root: TestRoot | None = None
    """The package of the tree in which commands run; none: its root."""

    @property
    def tree(self) -> Path:
        """Name the root of the tree; called as the project's own folder is."""
        return self.folder / "src" / self.subject.task.project.root.name

    @property
    def _left(self) -> Path:
        """Name the folder that holds what the runs write beside the tree."""
        return self.folder / "out"

    async def hold(self, commit: Commit) -> Path:
        """Check out a commit, with nothing left of the one before."""
        copy = self.subject.place.copy
        await put_at(self.tree, repository_of(copy), commit)
        await asyncio.to_thread(link, self.subject.task.project, self.tree)
        await asyncio.to_thread(self._show_packages, Path(copy.path).parent.parent)
        call = self.subject.task.project.layout.python_call
        if call is not None:
            await run_before(call.before, call.shown, self.tree, self.variables())
        return self.tree

    def scratch(self) -> Path:
        """Make a new folder for what one run writes."""
        self._left.mkdir(exist_ok=True)
        return Path(tempfile.mkdtemp(dir=self._left))

    def variables(self) -> dict[str, str]:
        """Return what a person's shell would give a command of the project."""
        project = self.subject.task.project
        imports, call = project.layout.imports, project.layout.python_call
        known = environment(project.interpreter, self.tree, imports)
        plain = {name: text for name, text in known.items() if name not in _OURS}
        imports = (*(self.root.imports if self.root else ()), *imports)
        path = dict.fromkeys(str(self.tree / folder) for folder in imports)
        found = {**plain, "PYTHONPATH": ":".join(path)}
        return with_own(call.variables, found, self.tree) if call else found

    async def call(
        self,
        argv: tuple[str, ...],
        variables: Mapping[str, str],
        *,
        timeout_s: float,
        memory_bytes: int | None,
        merge_stderr: bool = False,
    ) -> Completed:
        """Run a command in the tree, or in a package of it."""
        return await run(
            Command(
                argv=argv,
                cwd=self.tree / self.root.folder if self.root else self.tree,
                environment=variables,
                timeout_s=timeout_s,
                memory_bytes=memory_bytes,
                merge_stderr=merge_stderr,
                writes=(self.tree, self._left),
            )
        )

    def neutral(self, variables: Mapping[str, str], cache: str) -> dict[str, str]:
        """Return a runner's own variables, with another name for the folder of its cache."""
        other = self.folder / "cache"
        if not other.is_symlink():
            Path(cache).mkdir(parents=True, exist_ok=True)
            other.symlink_to(cache)
        ours = {name: text.replace(cache, str(other)) for name, text in variables.items()}
        plain = self.variables()
        return {
            **plain,
            **{name: text for name, text in ours.items() if name not in {*_OURS, "PYTHONPATH"}},
        }

    def _show_packages(self, trees: Path) -> None:
        """Let Node find what it finds above the other places."""
        for source, above in ((trees, self.tree.parent), (trees.parent, self.folder)):
            packages, here = source / _PACKAGES, above / _PACKAGES
            if packages.is_symlink() and not here.is_symlink():
                here.symlink_to(packages.resolve())


@asynccontextmanager
async def neutral_place(subject: Subject) -> AsyncIterator[NeutralPlace]:
    """Make such a place, and remove it afterwards."""
    folder = Path(tempfile.mkdtemp()).resolve()
    try:
        yield NeutralPlace(subject=subject, folder=folder)
    finally:
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))
