"""Where git looks for the hooks of a repository, as the user configured it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from setpoint.errors import WorkspaceError

INSTALLED = "# Installed by `setpoint hook install git`; `setpoint hook remove git` undoes it."
"""A line of each hook of Setpoint's own."""
BEFORE = ".before-setpoint"
"""Ends the name of the hook that was there before."""


def hooks_folder(root: Path) -> Path:
    """Return the folder of hooks; the user's `core.hooksPath` counts, which other questions set aside."""
    argv = ("git", "rev-parse", "--path-format=absolute", "--git-path", "hooks")
    try:
        done = subprocess.run(argv, cwd=root, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise WorkspaceError(f"git cannot be started: {error}", hint="install git 2.30 or newer") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise WorkspaceError(f"{root}: git does not say where its hooks lie: {said}")
    return Path(done.stdout.decode("utf-8", "surrogateescape").rstrip("\n"))
