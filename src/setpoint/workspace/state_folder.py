"""The directory where Setpoint keeps its state, invisible to the user's git."""

from __future__ import annotations

from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.system.files.atomic import write_atomic

IGNORE_ALL = "*\n"


def ensure_state(root: Path, state_dir: str | Path = ".setpoint") -> Path:
    """Make the state directory, ignored by git through a file of its own; gives its absolute path.

    Raises `WorkspaceError`, and writes nothing, where the directory is the user's.
    """
    state = (root / state_dir).absolute()
    _refuse_the_users_own(root, state)
    ignore = state / ".gitignore"
    try:
        held = ignore.read_text("utf-8", "replace") if ignore.exists() else ""
        if held and IGNORE_ALL.strip() not in held.splitlines():
            raise WorkspaceError(
                f"{ignore}: is not Setpoint's, so {state} holds something else",
                hint="set state_dir to a folder that does not exist yet",
            )
        if not held:
            write_atomic(ignore, IGNORE_ALL)
    except OSError as error:
        hint = "make the directory writable, or set state_dir to one that is"
        raise WorkspaceError(
            f"{state}: the state directory cannot be made or written: {error.strerror}", hint=hint
        ) from error
    return state


def _refuse_the_users_own(root: Path, state: Path) -> None:
    """All in the state directory is ignored by git: it may hold neither the project nor lie within `.git`."""
    top, place = root.resolve(), state.resolve()
    if top.is_relative_to(place) or place.is_relative_to(top / ".git"):
        what = "the project itself lies there" if top.is_relative_to(place) else "it is git's own"
        raise WorkspaceError(
            f"{state} cannot be the state directory: {what}",
            hint="set state_dir to a folder of its own, such as .setpoint",
        )
