"""Decide what became of a delivered change from the commits behind the user's HEAD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from setpoint.model.ids import Commit
from setpoint.model.run import KNOWN_ISSUES_SUBJECT

_RUN = re.compile(r"^[ \t]*Setpoint-Run: (run-\w+)[ \t]*$", re.MULTILINE)
"""Pattern of the line that names a run; `git merge --squash` indents it."""
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40})")


@dataclass(frozen=True, kw_only=True)
class Made:
    """A commit of a history."""

    commit: Commit
    parents: tuple[Commit, ...]
    message: str

    @property
    def runs(self) -> tuple[str, ...]:
        """Return the runs whose work it is; a merge commit belongs to none."""
        return tuple(_RUN.findall(self.message)) if len(self.parents) < 2 else ()  # noqa: PLR2004 - a merge has two or more

    @property
    def by_setpoint(self) -> bool:
        """Whether Setpoint made it, or a person made it from Setpoint's work."""
        return bool(self.runs) or self.message.startswith(KNOWN_ISSUES_SUBJECT)


@dataclass(frozen=True, kw_only=True)
class Past:
    """The newest ancestors of a commit, the newest first."""

    made: Sequence[Made]
    known: dict[Commit, Made] = field(init=False)

    def __post_init__(self) -> None:
        """Index the commits by hash."""
        object.__setattr__(self, "known", {each.commit: each for each in self.made})

    def work_of(self, run: str) -> tuple[Commit, ...]:
        """Return the commits that hold a run's work, the newest first."""
        return tuple(each.commit for each in self.made if run in each.runs)

    def taken_back(self, works: Iterable[Commit]) -> Commit | None:
        """Return the newest commit that reverts a work or the merge that brought it, except recorded ones."""
        changes = [each for each in works if not self.known[each].message.startswith(KNOWN_ISSUES_SUBJECT)]
        within = {work: self._behind(work) for work in changes}
        for each in self.made:
            for gone in (Commit(name) for name in _REVERTS.findall(each.message)):
                if gone in within or any(self._brought(gone, behind) for behind in within.values()):
                    return each.commit
        return None

    def changed(self, work: Commit, tip: Commit | None) -> tuple[Commit, ...]:
        """Return the commits of people on the branch after a work and before its merge, the oldest first.

        `tip` is the head of the branch, none if it is deleted. Commits that the branch received by
        merging, for example to update it, do not count.
        """
        behind = self._behind(work)
        at = self._merged_from(work, behind)
        if at is None:
            at = tip if tip in behind else work
        found: list[Commit] = []
        while at in behind and at != work:
            each = self.known[at]
            if len(each.parents) == 1 and not each.by_setpoint:
                found.append(at)
            at = next((parent for parent in each.parents if parent in behind), work)
        return tuple(reversed(found))

    def _behind(self, work: Commit) -> set[Commit]:
        """Return a work and the commits behind it."""
        found = {work}
        grows = True
        while grows:  # git may list a commit before its parent's other children where clocks differ
            before = len(found)
            found |= {each.commit for each in reversed(self.made) if not found.isdisjoint(each.parents)}
            grows = len(found) > before
        return found

    def _brought(self, commit: Commit, behind: set[Commit]) -> bool:
        """Whether a commit is the merge that brought a work in from another line."""
        made = self.known.get(commit)
        return (
            made is not None and commit in behind and len(made.parents) > 1 and made.parents[0] not in behind
        )

    def _merged_from(self, work: Commit, behind: set[Commit]) -> Commit | None:
        """Return the head of the merged branch; none if the work is on the main line itself."""
        at = self.made[0].commit if self.made else work
        while at in behind and at != work:
            each = self.known[at]
            if self._brought(at, behind):
                return next(parent for parent in each.parents if parent in behind)
            at = each.parents[0]
        return None


def read(log: str) -> Past:
    """Read git's log in the format of `HISTORY`."""
    made = []
    for entry in log.split("\x01"):
        name, _, rest = entry.strip("\n").partition("\x00")
        parents, _, message = rest.partition("\x00")
        if name:
            made.append(
                Made(
                    commit=Commit(name),
                    parents=tuple(Commit(each) for each in parents.split()),
                    message=message,
                )
            )
    return Past(made=made)


HISTORY = "--format=%H%x00%P%x00%B%x01"
