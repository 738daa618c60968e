"""The folder in a work copy that is for its agent: what prompts name, and programs. Git does not see it.

It is a copy for reading. Nothing that Setpoint decides rests on it, so an agent may do with it what it wants.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.system.files.untrusted_folder import entered, names_in, put, remove

FOLDER = ".setpoint"
"""Its name in a work copy."""
EVIDENCE, PROGRAMS, QUESTIONS = "evidence", "bin", "check"
IGNORED = f"/{FOLDER}"
"""The line for git's list of ignored files; it fits a link and a file too."""


def show_files(root: Path, part: str, files: Mapping[str, str], *, only: bool, program: bool = False) -> None:
    """Write files into a part of the folder; with `only` nothing else stays in that part.

    Raises `OSError` where they cannot be written.
    """
    mode = 0o755 if program else 0o644
    with entered(root, (FOLDER, part), make=True) as folder:
        for name in names_in(folder) if only else ():
            if name not in files:
                remove(folder, name)
        for name, text in files.items():
            put(folder, name, text.encode("utf-8", "replace"), mode)
