"""Where the repository of a tree lies in which foreign code runs: apart from it, out of that code's reach.

Tests may write to the `.git` they find in their tree: name another work tree there, a filter that is a
command, an object in place of another. Git that Setpoint runs must not read any of that. So a tree made for
measuring has its repository in a folder of its own, and what is inside is a copy for the tests.
"""

from __future__ import annotations

from pathlib import Path

READY = "setpoint-ready"
"""A file in a repository that was made whole."""
_FOLDER = "repositories"


def repository_apart(place: Path) -> Path:
    """Name where the repository of a tree for measuring lies, made or not.

    The tree has the name of the project, the folder around it the name of the place.
    """
    return around(place) / _FOLDER / f"{place.parent.name}.git"


def around(place: Path) -> Path:
    """Return the folder in which work copies and places for measuring lie, by kind."""
    return place.absolute().parent.parent.parent


def named(root: Path | str) -> dict[str, str]:
    """Name repository and work tree of a tree that has its repository apart; nothing for any other tree."""
    place = Path(root).absolute()
    repository = repository_apart(place)
    if not (repository / READY).is_file():
        return {}
    return {"GIT_DIR": str(repository), "GIT_WORK_TREE": str(place)}
