"""The `setpoint` command: its verbs, and the one place where errors become exit codes.

Verb modules import the rest of Setpoint inside their functions, so that `--help` answers at once.
"""

from __future__ import annotations

import gc
import sys
import traceback
from pathlib import Path
from typing import cast

import typer

from setpoint import __version__
from setpoint.cli import (
    agents,
    attest,
    cancel,
    check,
    cover,
    demo,
    deploy,
    doctor,
    export,
    feedback,
    finding,
    gate,
    init,
    learn,
    metrics,
    mutate,
    pipeline,
    quarantine,
    resume,
    run,
    serve,
    show,
    signal,
    status,
    step,
    story,
    verify,
    watch,
)
from setpoint.cli.styles import say
from setpoint.errors import ExitCode, SetpointError

app = typer.Typer(
    name="setpoint",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Close the loop around a coding agent: state the work, get it verified, with evidence.",
)


COLLECT = (50_000, 20, 20)
"""When garbage is looked for: reading a record makes very many objects and hardly a cycle among them."""
WRONG_USE = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
"""What Typer raises for words it cannot read: click's `ClickException`, or that of the click Typer brings."""


def _version(wanted: bool) -> None:
    if wanted:
        say(f"setpoint {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Close the loop around a coding agent: state the work, get it verified, with evidence."""


app.command()(init.init)
app.command()(doctor.doctor)
app.add_typer(agents.app, name="agents")
app.command()(run.run)
app.command()(step.step)
app.command()(resume.resume)
app.command()(cancel.cancel)
app.add_typer(gate.app)
app.add_typer(story.app)
app.command()(status.status)
app.command()(show.show)
app.command()(watch.watch)
app.command()(metrics.metrics)
app.command()(serve.serve)
app.add_typer(deploy.app, name="deploy")
app.add_typer(signal.app, name="signal")
app.command()(check.check)
app.command()(cover.cover)
app.command()(mutate.mutate)
app.command()(verify.verify)
app.command()(quarantine.quarantine)
app.command()(attest.attest)
app.command()(export.export)
app.add_typer(finding.app, name="finding")
app.add_typer(learn.app, name="learn")
app.add_typer(feedback.app, name="feedback")
app.command()(feedback.comment)
app.add_typer(pipeline.app, name="pipeline")
app.command()(demo.demo)


def main() -> None:
    """Run the command line; every way out is an `ExitCode`."""
    gc.set_threshold(*COLLECT)
    try:
        code = app(standalone_mode=False)
    except SetpointError as error:
        say(f"setpoint: {error}", err=True)
        sys.exit(error.exit_code)
    except typer.Abort:
        say("setpoint: interrupted; `setpoint resume` goes on where the run was", err=True)
        sys.exit(ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        say("setpoint: interrupted; `setpoint resume` goes on where the run was", err=True)
        sys.exit(ExitCode.INTERRUPTED)
    except WRONG_USE as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except Exception:  # noqa: BLE001 - the error boundary: whatever is left is a fault of Setpoint's own
        say(f"setpoint: a fault in Setpoint; report written to {_reported()}", err=True)
        sys.exit(ExitCode.FAULT)
    sys.exit(code if isinstance(code, int) else ExitCode.OK)


def _reported() -> str:
    """Write a report that can be pasted into an issue, and give its place."""
    text = (
        f"setpoint {__version__}, Python {sys.version.split()[0]}, {sys.platform}\n\n{traceback.format_exc()}"
    )
    folder = Path.cwd() / ".setpoint"
    path = (folder if folder.is_dir() else Path.cwd()) / "setpoint-fault.txt"
    try:
        path.write_text(text, "utf-8")
    except OSError:
        say(text, err=True)
        return "standard error, above"
    return str(path)
