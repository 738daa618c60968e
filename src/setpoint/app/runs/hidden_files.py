"""Hidden tests of a person: read when a run is ordered, and kept where no process of a maker reads."""

from __future__ import annotations

from collections import Counter
from pathlib import Path, PurePosixPath

from setpoint.errors import UsageError
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.ids import Commit
from setpoint.model.proof import HiddenTest
from setpoint.model.stories.story import Story
from setpoint.system.git.git import files_at
from setpoint.wiring.project import Project

_SEPARATOR = "="


async def hidden_files(project: Project, wanted: Story, base: Commit) -> tuple[HiddenTest, ...]:
    """Read the hidden tests of a story; the folder of the project is where relative names begin.

    Raises `UsageError` where a file is not there, or where the maker's copy would hold it too.
    """
    if not wanted.accept_hidden:
        return ()
    known = frozenset(await files_at(project.root, base))
    found: list[HiddenTest] = []
    for given in wanted.accept_hidden:
        name, _, place = given.partition(_SEPARATOR)
        file = (project.root / Path(name).expanduser()).resolve()
        try:
            text = file.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"hidden test {name}: cannot be read: {error}", hint="name a file") from None
        if file.is_relative_to(project.root) and file.relative_to(project.root).as_posix() in known:
            message = f"hidden test {name}: commit {base[:10]} holds it, so the maker would read it"
            raise UsageError(message, hint="keep it outside the repository")
        path = place or _beside_others(file.name, known)
        source = project.artifacts.hide(text)
        if project.artifacts.hidden is not None:
            project.artifacts.hidden.cover(file)
        found.append(HiddenTest(path=path, source=source, behaviour=f"what {file.name} asserts"))
    return tuple(found)


def _beside_others(name: str, known: frozenset[str]) -> str:
    """Return a path in the folder in which most tests of the same kind of file lie."""
    suffix = PurePosixPath(name).suffix
    tests = (PurePosixPath(path) for path in known if is_test_path(path) and path.endswith(suffix))
    folders = Counter(str(path.parent) for path in sorted(tests))
    folder = folders.most_common(1)[0][0] if folders else "tests"
    return (PurePosixPath(folder) / name).as_posix()
