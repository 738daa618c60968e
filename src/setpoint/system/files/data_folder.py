"""The folder of the user for what Setpoint installs."""

from __future__ import annotations

from pathlib import Path

from setpoint.settings import inherited


def data_folder() -> Path:
    """Name the folder for what Setpoint installs for its user; no setting of a project moves it."""
    named = Path(inherited(("XDG_DATA_HOME",)).get("XDG_DATA_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".local" / "share") / "setpoint"
