"""The directory where Setpoint keeps its state, invisible to the user's git."""

from __future__ import annotations

from pathlib import Path

from setpoint.errors import WorkspaceError
from setpoint.store.files import write_atomic

IGNORE_ALL = "*\n"


def ensure_state(root: Path, state_dir: str | Path = ".setpoint") -> Path:
    """Make the state directory, ignored by git through a file of its own; gives its absolute path."""
    state = (root / state_dir).absolute()
    ignore = state / ".gitignore"
    try:
        if not ignore.is_file() or ignore.read_text("utf-8") != IGNORE_ALL:
            write_atomic(ignore, IGNORE_ALL)
    except OSError as error:
        mend = "make the directory writable, or set state_dir to one that is"
        raise WorkspaceError(
            f"{state}: the state directory cannot be made: {error.strerror}", mend=mend
        ) from error
    return state
