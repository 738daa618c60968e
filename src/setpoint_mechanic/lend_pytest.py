"""Lends Setpoint's own pytest to the engine, for projects whose interpreter has none.

pytest runs unittest's tests as well, so a project that uses the standard library alone can be repaired too.
Nothing is installed: links in a folder of the search come last on the import path, after the project's own.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from pathlib import Path

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def lend_pytest(folder: Path) -> Path | None:
    """Link pytest and what it needs into a new folder; none where Setpoint itself has no pytest."""
    folder.mkdir(parents=True)
    lent = False
    for distribution in _needed("pytest"):
        lent = True
        for top in {file.parts[0] for file in distribution.files or ()}:
            source = Path(str(distribution.locate_file(top)))
            if top not in {"..", "__pycache__"} and not top.endswith((".dist-info", ".pth")):
                (folder / top).symlink_to(source)
    return folder if lent else None


def _needed(name: str) -> Iterator[importlib.metadata.Distribution]:
    """Yield a distribution and those it requires, each once, as far as they are installed here."""
    waiting, met = [name], set[str]()
    while waiting:
        wanted = waiting.pop().lower().replace("_", "-")
        if wanted in met:
            continue
        met.add(wanted)
        try:
            distribution = importlib.metadata.distribution(wanted)
        except importlib.metadata.PackageNotFoundError:
            continue  # wanted on other systems or by other versions only
        yield distribution
        for requirement in distribution.requires or ():
            found = _NAME.match(requirement)
            if found and "extra ==" not in requirement:
                waiting.append(found[0])
