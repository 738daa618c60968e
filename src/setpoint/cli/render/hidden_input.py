"""Ask at the terminal for what is not shown: never from an argument, a variable, a pipe or a file."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

from setpoint.cli.render.styles import say
from setpoint.errors import UsageError
from setpoint.wiring.project import Project

_TERMINAL = Path("/dev/tty")


def asked(question: str) -> str:
    """Return what the person types at the terminal of this process; it is not shown."""
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise UsageError(
            "a passphrase is needed, and this process has no terminal to ask for it",
            hint="run the command in a terminal; the dashboard (`setpoint serve`) needs none of it",
        ) from None
    try:
        return getpass.getpass(question)
    except EOFError:
        raise UsageError("no passphrase was given: nothing was done", hint="run the command again") from None


def confirm(project: Project) -> None:
    """Ask for the passphrase of a project if one is set; `UsageError` unless the person types it."""
    from setpoint.app.project.passphrase import confirm_person

    confirm_person(project, asked)


def confirmed(project: Project) -> bool:
    """Do the same where the question can be left open; say why not."""
    try:
        confirm(project)
    except UsageError as error:
        say(str(error))
        return False
    return True
