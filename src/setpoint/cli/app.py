"""The `setpoint` command: register the verbs, and turn errors into exit codes.

Verb modules import the rest of Setpoint inside their functions, so that `--help` is fast.
"""

from __future__ import annotations

import errno
import gc
import inspect
import sys
import traceback
from pathlib import Path
from typing import cast

import typer

from setpoint.cli.ci import ci
from setpoint.cli.people import feedback, finding, forge, gate, learn, story
from setpoint.cli.production import deploy, signal
from setpoint.cli.project import (
    agents,
    check,
    cover,
    demo,
    doctor,
    goals,
    halting,
    hook,
    init,
    mcp,
    metrics,
    mutate,
    notify,
    passphrase,
    pipeline,
    plugins,
    quarantine,
    reviewers,
    serve,
    token,
    tune,
)
from setpoint.cli.render.styles import say
from setpoint.cli.runs import (
    attest,
    cancel,
    export,
    resume,
    run,
    show,
    status,
    steer,
    step,
    verify,
    watch,
)
from setpoint.errors import ExitCode, SetpointError
from setpoint.version import __version__

app = typer.Typer(
    name="setpoint",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # importing Rich takes longer than all the rest of `--help`
    help="Run coding agents in a loop and verify their work with Setpoint's own checks.",
)


COLLECT = (50_000, 20, 20)
"""Thresholds of the garbage collector: reading a record creates many objects and few cycles."""
WRONG_USE = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
"""What Typer raises for invalid arguments: `ClickException` of click, or of the click that Typer bundles."""


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
    """Run coding agents in a loop and verify their work with Setpoint's own checks."""


app.command()(init.init)
app.command()(doctor.doctor)
app.add_typer(agents.app, name="agents")
app.command()(plugins.plugins)
app.add_typer(reviewers.app, name="reviewers")
app.command()(run.run)
app.command()(step.step)
app.command()(resume.resume)
app.command()(cancel.cancel)
app.command()(steer.hint)
app.command()(steer.pause)
app.add_typer(gate.app)
app.add_typer(story.app)
app.command()(status.status)
app.command()(show.show)
app.command()(watch.watch)
app.command()(metrics.metrics)
app.command()(serve.serve)
app.add_typer(token.app, name="token")
app.add_typer(passphrase.app, name="passphrase")
app.add_typer(deploy.app, name="deploy")
app.add_typer(signal.app, name="signal")
app.add_typer(forge.app, name="forge")
app.command()(check.check)
app.add_typer(hook.app, name="hook")
app.command()(mcp.mcp)
app.add_typer(ci.app, name="ci")
app.command()(cover.cover)
app.command()(mutate.mutate)
app.command()(goals.goals)
app.add_typer(halting.app, name="halting")
app.command()(notify.notify)
app.command()(tune.tune)
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


def _list_whole_sentences(verbs: typer.Typer) -> None:
    """Show the whole first sentence of each verb in `--help`: without Rich, Typer cuts it at one line."""
    for verb in verbs.registered_commands:
        verb.short_help = inspect.cleandoc(verb.callback.__doc__ or "").partition("\n\n")[0]
    for group in verbs.registered_groups:
        if group.typer_instance is not None:
            group.short_help = group.typer_instance.info.help
            _list_whole_sentences(group.typer_instance)


_list_whole_sentences(app)


def main() -> None:
    """Run the command line and exit with an `ExitCode`."""
    gc.set_threshold(*COLLECT)
    try:
        code = app(standalone_mode=False)
    except SetpointError as error:
        say(_full(error) or f"setpoint: {error}", err=True)
        sys.exit(error.exit_code)
    except typer.Abort:
        say("setpoint: interrupted; hint: `setpoint resume` continues the run", err=True)
        sys.exit(ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        say("setpoint: interrupted; hint: `setpoint resume` continues the run", err=True)
        sys.exit(ExitCode.INTERRUPTED)
    except WRONG_USE as error:
        error.show()
        sys.exit(ExitCode.USAGE)
    except Exception as error:  # noqa: BLE001 - the error boundary: anything else is a bug in Setpoint
        say(_full(error) or _refused(error) or _fault(), err=True)
        sys.exit(ExitCode.FAULT)
    sys.exit(code if isinstance(code, int) else ExitCode.OK)


def _full(error: Exception) -> str:
    """Say which disk is full; empty for any other error."""
    from setpoint.app.project.full_disk import full_disk

    try:
        said = full_disk(error, Path.cwd())
    except (SetpointError, OSError):  # the settings cannot be read, either
        return ""
    return f"setpoint: {said}" if said else ""


def _refused(error: Exception) -> str:
    """Say which file the system refuses to write or read; empty for any other error."""
    if not isinstance(error, OSError) or error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
        return ""
    hint = "use a terminal of your own, outside any sandbox, or look at its owner and mode"
    return f"setpoint: {error.filename or 'a file'}: {error.strerror}\n  hint: {hint}"


def _fault() -> str:
    return f"setpoint: internal error; report written to {_reported()}; hint: attach it to an issue"


def _reported() -> str:
    """Write a report for an issue and return its path."""
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
