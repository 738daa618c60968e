"""The folder of stories: finding them, and changing them while others may do so too."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from setpoint.errors import StoryError
from setpoint.model.stories.story import Story
from setpoint.stories.front_matter import Page, with_keys
from setpoint.stories.story_file import StoryFile, claimed_id, new_story, parsed, read_file
from setpoint.stories.story_notes import with_notes
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.locks import locked_file

_TRIES = 20


class StoryFolder:
    """The stories of one project."""

    def __init__(self, folder: Path, state: Path) -> None:
        """Take the folder with the stories, which need not exist, and the state directory for locks."""
        self.folder = folder
        self._locks = state / "locks"

    def paths(self) -> tuple[Path, ...]:
        """Return the files of all stories, in the order of their names."""
        if not self.folder.is_dir():
            return ()
        found = sorted(self.folder.glob("*.md"))
        return tuple(path for path in found if not path.name.startswith(".") and path.is_file())

    def find(self, which: str) -> Path | None:
        """Return the file of the story with this id or file name, if there is one."""
        direct = self.folder / (which if which.endswith(".md") else f"{which}.md")
        try:
            if direct.is_file() and direct.parent == self.folder:
                return direct
        except OSError:
            return None  # a long sentence is not a file name
        return next((path for path in self.paths() if claimed_id(path) == which), None)

    def holds(self, path: Path) -> bool:
        """Return whether a file lies in the folder."""
        return path.resolve().parent == self.folder.resolve()

    def new(self, wish: str, **keys: Any) -> tuple[Story, Path]:  # noqa: ANN401 - any key of a story
        """Write a new story as `new_story` does; two at once get a file each."""
        with locked_file(self._locks / "new-story.lock"):
            return new_story(self.folder, wish, **keys)

    def add(self, files: Iterable[StoryFile]) -> None:
        """Write new stories, all or none; raises `StoryError` where one exists or cannot be written."""
        written = list[Path]()
        with locked_file(self._locks / "new-story.lock"):
            try:
                for file in files:
                    file.path.parent.mkdir(parents=True, exist_ok=True)
                    with file.path.open("x", encoding="utf-8", newline="") as page:
                        written.append(file.path)
                        page.write(file.page.text)
            except OSError as error:
                for path in written:
                    path.unlink(missing_ok=True)
                message = f"{error.filename}: cannot be written: {error.strerror}; no story was written"
                raise StoryError(message, hint="make the folder writable, and try again") from None

    def change(
        self, path: Path, keys: Mapping[str, object], *, notes: str | None = None, flush: bool = True
    ) -> StoryFile:
        """Set keys (none removes one) and, if given, Setpoint's part of the body; keep everything else.

        Two processes that change one story take turns. Raises `StoryError` if the result is not a story or
        the file cannot be written; the file then stays as it was.
        """

        def changed(page: Page) -> Page:
            made = with_keys(page, keys, str(path))
            return made if notes is None else made._replace(body=with_notes(made.body, notes, page.newline))

        return self._changed(path, changed, flush=flush)

    def append(self, path: Path, words: str) -> StoryFile:
        """Put words at the end of a story's body, once; raises as `change` does."""

        def longer(page: Page) -> Page:
            told = words.replace("\n", page.newline)
            gap = page.newline if page.body.endswith("\n") else 2 * page.newline
            return page if told in page.body else page._replace(body=f"{page.body}{gap}{told}{page.newline}")

        return self._changed(path, longer, flush=True)

    def _changed(self, path: Path, change: Callable[[Page], Page], *, flush: bool) -> StoryFile:
        place = path.resolve()  # a link stays a link
        lock = self._locks / f"story-{hashlib.sha256(str(place).encode()).hexdigest()[:16]}.lock"
        with locked_file(lock):
            for _ in range(_TRIES):
                before = read_file(place)
                page = change(before.page)
                after = parsed(place, page)
                if page == before.page:
                    return after
                if _replaced(place, before.page.text, page.text, flush=flush):
                    return after
        message = f"{path}: another process keeps changing it"
        raise StoryError(message, hint="close it in the program that writes it, and try again")


def _replaced(path: Path, before: str, after: str, *, flush: bool) -> bool:
    """Write a file unless an editor, which knows no locks, has changed it since it was read."""
    try:
        mode = path.stat().st_mode & 0o777
        if path.read_bytes() != before.encode("utf-8"):
            return False
        write_atomic_bytes(path, after.encode("utf-8"), flush=flush, mode=mode)
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise StoryError(message, hint="make the file and its folder writable") from None
    return True
