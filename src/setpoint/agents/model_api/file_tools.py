"""What a model may do: look at the work copy, and as the maker edit it; no secrets, no shell, no way out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from setpoint.model.changes.diff import files_of

MOST_LINES = 400
"""Lines of a file that one call returns."""
MOST_CHARS = 40_000
"""Characters of one answer."""
MOST_PATHS = 500
MOST_MATCHES = 100
MOST_BYTES = 2 << 20
"""Size of a file from which it is not searched, and not read either."""
SECRET = (
    ".env", ".env.*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
    "id_rsa*", "id_ed25519*", "id_ecdsa*", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".htpasswd",
    "credentials", "credentials.*", "secrets.*",
)  # fmt: skip
"""Names of files that are not shown, in any letter case."""
SHOWN_ALL_THE_SAME = (".env.example", ".env.sample", ".env.template")
SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".ruff_cache"})
"""Folders that are not listed and not searched."""
_TOKEN = re.compile(
    r"\b(AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,}|sk-[A-Za-z0-9_-]{32,}|xox[baprs]-[A-Za-z0-9-]{20,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)


class Refused(Exception):
    """Something a model asked for is not possible; the message is for the model."""


class Files:
    """The tools of one model in one work copy; each method is one, its docstring is what the model reads."""

    def __init__(self, root: Path, diff: str = "") -> None:
        """Stay below `root`; `diff` is the change under review."""
        self._root = root.resolve()
        self._diff = diff

    def looking(self) -> tuple[Callable[..., str], ...]:
        """Return the tools that change nothing."""
        return (
            (self.list_files, self.read_file, self.search, self.show_change)
            if self._diff
            else (self.list_files, self.read_file, self.search)
        )

    def editing(self) -> tuple[Callable[..., str], ...]:
        """Return the tools that change files."""
        return (self.write_file, self.replace_text, self.delete_file)

    def list_files(self, folder: str = ".") -> str:
        """List the files of the project below a folder, one path a line.

        Args:
            folder: Path from the root of the project.
        """
        found = list(self._walk(self._inside(folder)))
        lines = found[:MOST_PATHS]
        if len(found) > MOST_PATHS:
            lines.append(f"[{len(found) - MOST_PATHS} more; name a folder]")
        return "\n".join(lines) or "[no files]"

    def read_file(self, path: str, first_line: int = 1) -> str:
        """Read a text file, at most 400 lines at once, each with its number.

        Args:
            path: Path from the root of the project.
            first_line: Where to begin, from 1.
        """
        lines = self._text(path).splitlines()
        first = max(first_line, 1)
        if first > max(len(lines), 1):
            raise Refused(f"{path} has {len(lines)} lines")
        shown = lines[first - 1 : first - 1 + MOST_LINES]
        text = "\n".join(f"{number}\t{line}" for number, line in enumerate(shown, start=first))
        left = len(lines) - (first - 1 + len(shown))
        return _cut(text) + (f"\n[{left} more lines]" if left else "")

    def search(self, text: str, folder: str = ".") -> str:
        """Find the lines that contain a text, in any letter case; a regular expression does not work.

        Args:
            text: What to look for.
            folder: Path from the root of the project.
        """
        if not text.strip():
            raise Refused("say what to look for")
        wanted, found = text.lower(), []
        for path in self._walk(self._inside(folder)):
            try:
                lines = self._text(path).splitlines()
            except Refused:
                continue
            found += [
                f"{path}:{number}: {line.strip()[:300]}"
                for number, line in enumerate(lines, start=1)
                if wanted in line.lower()
            ]
            if len(found) > MOST_MATCHES:
                return _cut("\n".join([*found[:MOST_MATCHES], "[more; search for something rarer]"]))
        return _cut("\n".join(found)) or "[nothing found]"

    def show_change(self, path: str = "") -> str:
        """Show the change under review as a diff: one file of it, or all of it.

        Args:
            path: Path from the root of the project; empty for the whole change.
        """
        if not path:
            return _cut(_redacted(self._diff))
        sections = files_of(self._diff)
        if path not in sections:
            raise Refused(f"the change does not touch {path}; it touches {', '.join(sections)}")
        return _cut(_redacted(sections[path]))

    def write_file(self, path: str, content: str) -> str:
        """Write a file, a new one or all of an old one.

        Args:
            path: Path from the root of the project.
            content: The whole content.
        """
        place = self._inside(path)
        if place.exists() and not place.is_file():
            raise Refused(f"{path} is not a plain file")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content, "utf-8")
        except (OSError, UnicodeEncodeError) as error:
            raise Refused(f"{path} cannot be written: {error}") from None
        return f"{path} written"

    def replace_text(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs exactly once in a file.

        Args:
            path: Path from the root of the project.
            old: The present text, with its white space, without line numbers.
            new: The text that replaces it.
        """
        place = self._inside(path)
        text = self._raw(path)
        count = text.count(old) if old else 0
        if count != 1:
            raise Refused(f"the old text occurs {count} times in {path}; it must occur once")
        place.write_text(text.replace(old, new), "utf-8", newline="")
        return f"{path} changed"

    def delete_file(self, path: str) -> str:
        """Delete a file.

        Args:
            path: Path from the root of the project.
        """
        place = self._inside(path)
        if not place.is_file():
            raise Refused(f"there is no file {path}")
        place.unlink()
        return f"{path} deleted"

    def _inside(self, path: str) -> Path:
        """Return the file of a path; refuse one outside the work copy, also by a link, or with secrets."""
        try:
            place = (self._root / path).resolve()
            inside = place.relative_to(self._root)
        except (OSError, ValueError, RuntimeError):
            raise Refused(f"{path} does not lie in the project; paths begin at its root") from None
        if ".git" in inside.parts:
            raise Refused("what lies in .git is not for you")
        if _secret(Path(path).name) or _secret(inside.name):
            raise Refused(f"{path} may hold secrets and is not shown")
        return place

    def _raw(self, path: str) -> str:
        place = self._inside(path)
        if not place.is_file():
            raise Refused(f"there is no file {path}")
        if place.stat().st_size > MOST_BYTES:
            raise Refused(f"{path} is too large to be read")
        try:
            with place.open(encoding="utf-8", newline="") as file:
                return file.read()
        except UnicodeDecodeError:
            raise Refused(f"{path} is not a text file") from None
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}") from None

    def _text(self, path: str) -> str:
        return _redacted(self._raw(path))

    def _walk(self, start: Path) -> Iterator[str]:
        if start.is_file():
            yield start.relative_to(self._root).as_posix()
            return
        if not start.is_dir():
            raise Refused("there is no such folder")
        for folder, names, files in os.walk(start):
            names[:] = sorted(set(names) - SKIPPED)
            for name in sorted(files):
                if not _secret(name):
                    yield (Path(folder) / name).relative_to(self._root).as_posix()


def _secret(name: str) -> bool:
    low = name.lower()
    return low not in SHOWN_ALL_THE_SAME and any(fnmatch(low, pattern) for pattern in SECRET)


def _redacted(text: str) -> str:
    return _TOKEN.sub("[secret]", text)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}\n[cut]"
