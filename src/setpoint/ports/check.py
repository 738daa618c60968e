"""The port of one check."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult
from setpoint.model.ids import Commit, Tree
from setpoint.ports.workspace import WorkCopy


class Measured(NamedTuple):
    """A commit of a work copy that is to be measured; what else lies in the work copy does not count."""

    copy: WorkCopy
    commit: Commit
    tree: Tree
    stage: Stage
    suspects: tuple[str, ...] = ()
    """Tests that failed last time; the evaluate stage runs these first."""


class Check(Protocol):
    """One measurement of a tree."""

    @property
    def name(self) -> str:
        """Name the check, for example `pytest`."""

    async def run(self, measured: Measured) -> CheckResult:
        """Measure; a broken tool is a result with state `error`, never an exception."""
