"""Where the things of one repository lie: its tree, the state kept in it, and the copies kept outside it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class ProjectFolders(NamedTuple):
    """The folders of one repository, absolute."""

    root: Path
    """The user's work tree."""
    state: Path
    """Events, tokens, artifacts, snapshots: what cannot be made again."""
    copies: Path
    """Work copies and measured copies, in the cache folder of the user: all of it can be made again."""
