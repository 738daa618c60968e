"""Work copies of the user's repository, and the branches delivered from them."""

from setpoint.workspace.copies_folder import cache_folder, copies_folder
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.held_base import hold_base, release_bases
from setpoint.workspace.snapshot_store import repository_of_run, snapshot_store_of
from setpoint.workspace.state_folder import ensure_state
from setpoint.workspace.work_copy import GitWorkspace

__all__ = [
    "GitBranchForge",
    "GitWorkspace",
    "cache_folder",
    "copies_folder",
    "ensure_state",
    "hold_base",
    "release_bases",
    "repository_of_run",
    "snapshot_store_of",
]
