"""Small files of text whose path a test passes: kept by what is in them, and written again."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any

FILE = "a file"
"""First part of the pickled form; the recorder writes the same."""


@dataclass(frozen=True)
class Written:
    """The path of such a file, as an argument."""

    kind: str
    """`str`, or what is given as a path."""
    name: str
    text: str

    def __repr__(self) -> str:
        """Return it as a reader sees it."""
        return f"{self.name} with {self.text!r}"

    @property
    def pid(self) -> tuple[str, str, str, str]:
        """The form in which it is pickled."""
        return FILE, self.kind, self.name, self.text

    def put(self, folder: str) -> Any:  # noqa: ANN401 - a text or a path
        """Write the file, and return its path."""
        place = pathlib.Path(folder) / "files"
        place.mkdir(parents=True, exist_ok=True)
        path = place / self.name
        path.write_text(self.text, encoding="utf-8")
        return str(path) if self.kind == "str" else path
