"""The `setpoint` command: register the verbs, and turn errors into exit codes.

Verb modules import the rest of Setpoint inside their functions, so that `--help` is fast.
"""

from __future__ import annotations

import gc
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import cast

import typer

from setpoint.cli.render.styles import say
from setpoint.cli.verbs import BELOW, VERBS, Verbs, renamed
from setpoint.errors import ExitCode, SetpointError
from setpoint.version import __version__

COLLECT = (50_000, 20, 20)
"""Thresholds of the garbage collector: reading a record creates many objects and few cycles."""
WRONG_USE = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
"""What Typer raises for invalid arguments: `ClickException` of click, or of the click that Typer bundles."""


def _version(wanted: bool) -> None:
    if wanted:
        say(f"setpoint {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Show the version."
    ),
) -> None:
    """Run coding agents in a loop and verify their work with Setpoint's own checks."""


def commands(words: Sequence[str] = ()) -> typer.Typer:
    """Return the command line; where its first word is a verb, it holds that one alone.

    To import the others takes as long as many a verb takes.
    """
    app = typer.Typer(
        name="setpoint",
        cls=Verbs,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # importing Rich takes longer than all the rest of `--help`
        help="Run coding agents in a loop and verify their work with Setpoint's own checks.",
    )
    app.callback()(_options)
    every = {verb: module for verbs in VERBS.values() for verb, module in verbs.items()}
    _add(app, every, renamed(words)[0])
    _list_whole_sentences(app)
    return app


def _add(app: typer.Typer, verbs: Mapping[str, str], words: Sequence[str]) -> None:
    """Add the verb that a command names; all of them where it names none."""
    for verb in (set(words[:1]) & set(verbs)) or verbs:
        if verb in BELOW:
            about, below = BELOW[verb]
            group = typer.Typer(no_args_is_help=True, help=about)
            _add(group, below, words[1:])
            app.add_typer(group, name=verb)
            continue
        module = import_module(f"setpoint.cli.{verbs[verb]}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=verb)
        else:
            app.command()(getattr(module, verb))


def _list_whole_sentences(verbs: typer.Typer) -> None:
    """Show the whole first sentence of each verb in `--help`: without Rich, Typer cuts it at one line."""
    for verb in verbs.registered_commands:
        verb.short_help = inspect.cleandoc(verb.callback.__doc__ or "").partition("\n\n")[0]
    for group in verbs.registered_groups:
        if group.typer_instance is not None:
            group.short_help = group.typer_instance.info.help
            _list_whole_sentences(group.typer_instance)


def main() -> None:
    """Run the command line and exit with an `ExitCode`."""
    gc.set_threshold(*COLLECT)
    try:
        code = commands(sys.argv[1:])(standalone_mode=False)
    except SetpointError as error:
        said = _full(error) if error.hint else _refused(error)
        say(said or f"setpoint: {error}", err=True)
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
        say(_refused(error) or _fault(), err=True)
        sys.exit(ExitCode.FAULT)
    sys.exit(code if isinstance(code, int) else ExitCode.OK)


def _full(error: Exception) -> str:
    """Say which disk is full; empty for any other error."""
    from setpoint.app.project.full_disk import full_disk

    return _said(full_disk, error)


def _refused(error: Exception) -> str:
    """Say what the machine refuses; empty for any other error."""
    from setpoint.app.project.machine_faults import machine_fault

    return _said(machine_fault, error)


def _said(tell: Callable[[BaseException, Path], str], error: Exception) -> str:
    try:
        said = tell(error, Path.cwd())
    except (SetpointError, OSError):  # the settings cannot be read, either
        return ""
    return f"setpoint: {said}" if said else ""


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
