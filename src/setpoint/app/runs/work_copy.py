"""Whether a repository is the work copy of a run: found without settings, in milliseconds."""

from __future__ import annotations

from pathlib import Path


def in_work_copy(root: Path) -> bool:
    """Return whether the top folder of a repository is the work copy of a run."""
    work = next((each for each in root.parents[:2] if each.name == "work"), root)
    return work.parent.name == "trees" and (work.parents[1] / "repository.json").exists()
