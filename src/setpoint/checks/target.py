"""The tree that is to be measured, as far as the choice of checks needs it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch

from setpoint.checks.discovery.workspaces import Touched
from setpoint.checks.goals.performance import Compared
from setpoint.checks.old_tests.places import Aside
from setpoint.checks.suites.order_dependence import Footing
from setpoint.model.evaluation import Stage


@dataclass(frozen=True, kw_only=True)
class Target:
    """The tree to be measured, as far as the choice of checks needs it."""

    stage: Stage
    files: Mapping[str, str]
    """Every file of the tree, with the id of its content."""
    changed: frozenset[str]
    """Paths that differ from the base; every file at the base itself."""
    suspects: tuple[str, ...]
    """Tests that a run of the suite named before: at `evaluate` they run again."""
    only: tuple[str, ...] | None
    """The tests of Python that are run, by identifier or file; none for the whole suite."""
    settled: frozenset[str]
    """Tests that failed at the base: running them again proves nothing, tolerated or not."""
    known: frozenset[str] = frozenset()
    """Tests that failed in the last whole run, which had another tree: not run again either. The first run of
    a tree may differ in it from the second, so it decides nothing about what is kept."""
    shaky: frozenset[str] = frozenset()
    """Tests that were flaky at the base."""
    aside: Aside | None = None
    """Where the tests of the base run as they were; none where nothing on their side differs from it."""
    footing: Footing | None = None
    """Where a selection of tests is compared before a red one counts."""
    record: bool = False
    """Whether the whole suite leaves a map of what each test reached."""
    compared: Compared | None = None
    """The trees on which commands are timed, where a goal names one."""
    touched: Touched | None = None
    """The packages that the change can reach; none where everything is measured."""
    whole: bool = False
    """Whether whole suites run at `evaluate`, because there is time for them."""
    left: str = ""
    """Which tests there is no time for at `evaluate`, in words; empty where it is not limited."""
    fast: bool = False
    """Whether tests of which no map can be made run whole at `evaluate` too."""

    @property
    def touched_words(self) -> str:
        """Name the packages that the change can reach; empty where everything is measured."""
        return self.touched.words if self.touched else ""

    def python_under(self, places: tuple[str, ...]) -> tuple[str, ...]:
        """Name the Python files that lie under some files or folders of the tree; `.` is the root."""
        roots = tuple("" if each == "." else each for each in places)
        python = (file for file in self.files if file.endswith(".py"))
        return tuple(
            sorted(
                file
                for file in python
                if any(file == r or file.startswith(f"{r}/".lstrip("/")) for r in roots)
            )
        )

    def digest(self, patterns: tuple[str, ...]) -> str:
        """Return one hash of all files whose names fit; empty for no patterns."""
        if not patterns:
            return ""
        fitting = [
            path for path in self.files if any(fnmatch(path.rpartition("/")[2], each) for each in patterns)
        ]
        text = "\0".join(f"{path}\0{self.files[path]}" for path in sorted(fitting))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
