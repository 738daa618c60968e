"""`setpoint admin attest`: write the evidence of a run as an in-toto statement."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from setpoint.cli.render.styles import say, written


class Predicate(StrEnum):
    """Kind of statement."""

    EVIDENCE = "evidence"
    """Every check, gate and open finding, in the predicate that `setpoint verify` reads."""
    TEST_RESULT = "test-result"
    """Every test with its outcome, in the test-result predicate of in-toto."""
    ALL = "all"
    """Both, one statement per line."""


def attest(
    which: Annotated[
        str, typer.Argument(help="Run id, start or end, or story id; default: the newest run.")
    ] = "",
    predicate: Annotated[
        Predicate,
        typer.Option(
            "--predicate",
            help="`evidence`: every check and gate. `test-result`: every test, as in-toto test-result. "
            "`all`: both, one per line.",
        ),
    ] = Predicate.EVIDENCE,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this file instead of standard output.")
    ] = None,
) -> None:
    """Write the evidence of a finished run as an in-toto statement (JSON)."""
    from setpoint.app.checks.attest import statement_lines
    from setpoint.wiring.project import find_run, open_project

    project = open_project(Path.cwd())
    trace = find_run(project, which).trace_id
    text = statement_lines(project, trace, predicate)
    if output is None:
        written(text)
    else:
        output.write_text(f"{text}\n", "utf-8")
        say(f"{trace}: {predicate} written to {output}", err=True)
