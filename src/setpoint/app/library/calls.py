"""One call each for a program that needs nothing else of a repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from setpoint.app.library.own_loop import refuse_in_loop
from setpoint.app.library.project import OnEvent, OnResult, Project
from setpoint.app.library.results import CheckOutcome, Outcome
from setpoint.app.runs.options import RunOptions
from setpoint.model.stories.story import Story


def run(
    request: str | Story,
    path: Path | str = ".",
    *,
    accept: Sequence[str] = (),
    base: str = "HEAD",
    on_event: OnEvent | None = None,
    **options: Unpack[RunOptions],
) -> Outcome:
    """Turn a request into a verified change of the repository at `path`; see `Project.run`."""
    refuse_in_loop("run")
    return Project(path).run(request, accept=accept, base=base, on_event=on_event, **options)


async def arun(
    request: str | Story,
    path: Path | str = ".",
    *,
    accept: Sequence[str] = (),
    base: str = "HEAD",
    on_event: OnEvent | None = None,
    **options: Unpack[RunOptions],
) -> Outcome:
    """Do as `run` beside an event loop; see `Project.arun`."""
    return await Project(path).arun(request, accept=accept, base=base, on_event=on_event, **options)


def check(
    path: Path | str = ".", *, fast: bool = False, fresh: bool = False, on_result: OnResult | None = None
) -> CheckOutcome:
    """Run every check on the working tree at `path`; see `Project.check`."""
    refuse_in_loop("check")
    return Project(path).check(fast=fast, fresh=fresh, on_result=on_result)


async def acheck(
    path: Path | str = ".", *, fast: bool = False, fresh: bool = False, on_result: OnResult | None = None
) -> CheckOutcome:
    """Do as `check` beside an event loop; see `Project.acheck`."""
    return await Project(path).acheck(fast=fast, fresh=fresh, on_result=on_result)
