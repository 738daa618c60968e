"""Git in, reviewed change out: work copies of the user's repository and the branches that come of them."""

from setpoint.workspace.copy import GitWorkspace, repository_of_run
from setpoint.workspace.deliver import GitBranchForge
from setpoint.workspace.state import ensure_state

__all__ = [
    "GitBranchForge",
    "GitWorkspace",
    "ensure_state",
    "repository_of_run",
]
