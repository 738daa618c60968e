"""`setpoint attest`: a run's evidence as an in-toto statement."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.styles import say, written


class Predicate(StrEnum):
    """What is stated."""

    EVIDENCE = "evidence"
    """Every check, gate and open finding: Setpoint's own predicate, which `setpoint verify` reads."""
    TEST_RESULT = "test-result"
    """Every test by its outcome: in-toto's own predicate."""
    ALL = "all"
    """Both, one statement a line."""


def attest(
    which: Annotated[
        str, typer.Argument(help="The run, or the beginning of its name; the newest where none is given.")
    ] = "",
    predicate: Annotated[
        Predicate,
        typer.Option(
            "--predicate",
            help="`evidence`: every check and gate. `test-result`: every test, for in-toto's own predicate. "
            "`all`: both, one a line.",
        ),
    ] = Predicate.EVIDENCE,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file instead of printing.")
    ] = None,
) -> None:
    """State the evidence of a finished run as an in-toto statement (JSON) that other tools can read."""
    from setpoint import wiring

    project = wiring.open_project(Path.cwd())
    trace = wiring.find_run(project, which).trace_id
    text = wiring.attested(project, trace, predicate)
    if output is None:
        written(text)
    else:
        output.write_text(f"{text}\n", "utf-8")
        say(f"{trace}: {predicate} written to {output}", err=True)
