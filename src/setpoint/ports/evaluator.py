"""The port that measures trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from setpoint.model.evaluation import Evaluation
from setpoint.model.product import ProductView, Shown
from setpoint.model.proof import NOBODY, HiddenTests, HiddenTrial, Proof, Vouched
from setpoint.model.run import RunOrder
from setpoint.model.suite_command import SuiteCommand
from setpoint.ports.check import Measured
from setpoint.ports.workspace import WorkCopy


class Toolbox(NamedTuple):
    """What a project can be measured with."""

    checks: dict[str, str]
    """Check by name, with the reason it was chosen."""
    python: str
    """The project's own interpreter; empty where it has none."""
    environment: dict[str, str] = {}
    """Variables with which an agent's commands run as the checks do; see `Brief.environment`."""
    commands: tuple[str, ...] = ()
    """Commands that run the tests in a work copy that was equipped."""
    self_check: tuple[str, ...] = ()
    """Command of the server that offers `setpoint_check`; see `Brief.self_check`."""
    suite_commands: tuple[SuiteCommand, ...] = ()
    """Calls of the runners of tests in other languages than Python."""


class Evaluator(Protocol):
    """Runs the checks on a tree and compares them with the base."""

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Choose the checks for the project; done again when a run is resumed."""

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Restore protected files that the maker changed to their base state; return their paths."""

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree and keep the full report."""

    async def prove(self, order: RunOrder, measured: Measured, vouched: Vouched = NOBODY) -> Proof:
        """Measure what proves a tree that has passed every check."""

    async def try_hidden(self, order: RunOrder, copy: WorkCopy | Measured, tests: HiddenTests) -> HiddenTrial:
        """Run tests that were written from the request alone at the base, where they must fail.

        Tests that show objections to a measured tree run on both.
        """


@runtime_checkable
class ShowsProduct(Protocol):
    """An evaluator that can show the product on a tree; without it nothing is shown."""

    async def show(self, order: RunOrder, tree: Measured, asked: Shown) -> ProductView:
        """Run a command on a tree, or take the picture of a page."""


@runtime_checkable
class TakesOut(Protocol):
    """An evaluator that can say what fails without a part of a change; without it nobody tells."""

    async def without(
        self, order: RunOrder, measured: Measured, changes: Sequence[str], tests: tuple[str, ...]
    ) -> tuple[frozenset[str] | None, ...]:
        """Run tests on a tree, each time with one of its changes, a unified diff, taken back.

        Gives those that fail, for each change; none where it cannot be taken back or they do not run.
        """
