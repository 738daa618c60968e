"""The change that is to be proved, and the place in which it is compared and sabotaged."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from setpoint.checks.baseline import Measurements
from setpoint.checks.languages.all import language_of
from setpoint.checks.measurement import Measuring, Task, furnish, tests_of
from setpoint.checks.old_tests.places import Aside, collected
from setpoint.checks.plan import Plan
from setpoint.checks.suites.selected_run import limited
from setpoint.checks.target import Target
from setpoint.checks.trees.checkout import place_beside, put_at, repository_of
from setpoint.checks.verdict.kinds import Kind, kind_of_change
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import runs
from setpoint.model.evidence import TestReport, whole_suite
from setpoint.model.proof import ProofTerms, WorkKind
from setpoint.ports import Measured
from setpoint.system.git.git import changed_files, contents

MOST_NAMED = 20
"""Most names that an obligation lists as its evidence."""
_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The change that is to be proved: the result beside its base."""

    measuring: Measuring
    task: Task
    terms: ProofTerms
    kind: Kind
    """What the diff says of the work."""
    base: Measurements
    place: Measured
    """The result, checked out."""
    plan: Plan
    target: Target
    now: Measurements
    before: Mapping[str, bytes]
    """Changed files at the base, by path."""
    after: Mapping[str, bytes]
    """Changed files of the result, by path."""
    scratch: Path
    """A folder for files of this proof alone."""

    @property
    def work(self) -> WorkKind:
        """Return the kind of work, which decides what is asked."""
        return self.kind.work

    @property
    def paths(self) -> tuple[str, ...]:
        """Return all paths that differ from the base."""
        return tuple(dict.fromkeys((*self.before, *self.after)))

    @cached_property
    def of_tests(self) -> tuple[str, ...]:
        """Return those of them that hold tests, or belong to tests."""
        known = collected(tests_of(self.base))
        return tuple(path for path in self.paths if is_test_path(path) or path in known)

    async def checked_out(self) -> Measured:
        """Check out the result in the place in which it is compared and sabotaged."""
        place = self._other_place()
        await put_at(place, repository_of(self.place.copy), self.place.commit)
        await furnish(self.task.project, place)
        return self.place._replace(copy=self.place.copy._replace(path=str(place)))

    async def base_checked_out(self) -> Measured:
        """Check out the base in the place in which it is compared with the result."""
        place = self._other_place()
        await put_at(place, repository_of(self.place.copy), self.base.commit)
        await furnish(self.task.project, place)
        copy = self.place.copy._replace(path=str(place))
        return self.place._replace(copy=copy, commit=self.base.commit, tree=self.base.tree)

    async def with_those_of_base(self, paths: tuple[str, ...]) -> Measured:
        """Check out the result with some files as they were at the base."""
        place = self._other_place()
        aside = Aside(place=place, base=self.base.commit, paths=paths, known=frozenset())
        there = await aside.as_at_base(self.place)
        await furnish(self.task.project, place)
        return there

    async def without_its_code(self) -> Measured:
        """Check out the base with all of the change but its code: tests, documents and settings remain."""
        place = self._other_place()
        code = self.place._replace(commit=self.base.commit)
        paths = tuple(path for path in self.paths if path in self.of_tests or not runs(path))
        aside = Aside(place=place, base=self.place.commit, paths=paths, known=frozenset())
        there = await (aside.as_at_base(code) if aside.paths else aside.as_it_is(code))
        await furnish(self.task.project, place)
        for path, text in self._with_inline_tests().items():
            await asyncio.to_thread((place / path).write_bytes, text)
        return there

    @property
    def beside_code(self) -> tuple[str, ...]:
        """Return the changed files of the base that hold settings and documents."""
        return tuple(path for path in self.before if not (path in self.of_tests or runs(path)))

    @property
    def added_inline(self) -> frozenset[str]:
        """Return the names of tests inside sources that the change adds as a whole."""
        new = {path: text for path, text in self.after.items() if path not in self.before}
        found = (each.inline_tests(path, text) for path, text in new.items() if (each := language_of(path)))
        return frozenset[str]().union(*found)

    @property
    def added_modules(self) -> frozenset[str]:
        """Return the names of files and folders that the change adds, as code imports or names them."""
        new = [PurePosixPath(path) for path in self.after if path not in self.before]
        return frozenset(name for path in new for name in (path.stem, path.name, *path.parts[:-1]))

    def _with_inline_tests(self) -> dict[str, bytes]:
        """Return changed sources with the code of the base and the inline tests of the result, by path."""
        made: dict[str, bytes] = {}
        for path in self.before.keys() & self.after.keys() - set(self.of_tests):
            language = language_of(path)
            if language is not None and language.inline_tests(path, self.after[path]):
                made[path] = language.with_tests_of(self.before[path], self.after[path], path)
        return made

    async def run_tests(
        self, tests: Collection[str], there: Measured, limit_s: float | None = None
    ) -> TestReport:
        """Run some tests in a place, each runner for `limit_s` at most; what broke gives an empty report."""
        checks = self.plan.selection(self.target, tuple(tests))
        results = [await (limited(each, limit_s) if limit_s else each).run(there) for each in checks]
        report = whole_suite(each.tests for each in results if each.tests is not None)
        return report or TestReport(outcomes={})

    def _other_place(self) -> Path:
        return place_beside(Path(self.place.copy.path), "other")


async def subject_of(
    measuring: Measuring, task: Task, place: Measured, terms: ProofTerms, scratch: Path
) -> Subject:
    """Collect what is known about a result that is checked out and has passed every other check.

    Raises `ValueError` for the base itself.
    """
    if task.base is None:
        raise ValueError("nothing can be proved of the base itself")
    quiet = replace(measuring, told=lambda *_: None)
    root, base = place.copy.path, task.base
    changed = await changed_files(root, base.commit, place.commit)
    before = await contents(root, base.commit, changed)
    after = await contents(root, place.commit, changed)
    return Subject(
        measuring=quiet,
        task=task,
        terms=terms,
        kind=kind_of_change(task.story, before, after, collected(tests_of(base))),
        base=base,
        place=place,
        plan=quiet.plan(task, place.copy.trace_id, scratch),
        target=await quiet.target(task, place),
        now=await quiet.measure(task, place),
        before=before,
        after=after,
        scratch=scratch,
    )


def listed(names: Collection[str]) -> str:
    """Name the first few, and count the others."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(list(names)[:_SHOWN])}{more}"
