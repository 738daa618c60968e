"""Big things by their content: tool output, transcripts, diffs and reports."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path

from setpoint.errors import RecordedDataError, WorkspaceError
from setpoint.model.ids import Artifact
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.private_folder import WITHHELD, HiddenFolder

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Artifacts:
    """Keeps bytes in files named by their sha256; what is kept never changes."""

    def __init__(
        self, folder: Path, told: Callable[[str], str] | None = None, hidden: HiddenFolder | None = None
    ) -> None:
        """Use a folder, which is made when the first artifact is kept; `told` says what is kept of each.

        What is withheld is kept in the folder `hidden`.
        """
        self._folder = folder
        self._told = told
        self.hidden = hidden

    def with_texts(self, told: Callable[[str], str]) -> Artifacts:
        """Return the same store, which keeps of texts what `told` returns."""
        return Artifacts(self._folder, told, self.hidden)

    def hide(self, data: bytes | str) -> Artifact:
        """Keep bytes where no process of a maker reads them; `read` finds them, too."""
        if self.hidden is None:
            raise WorkspaceError("there is no folder for hidden tests", hint="set SETPOINT_HIDDEN_DIR")
        return Artifacts(self.hidden.made()).keep(data)

    def keep(self, data: bytes | str) -> Artifact:
        """Keep bytes, or a text in UTF-8, and give their sha256; they then outlast a loss of power."""
        if self.hidden is not None and WITHHELD.get():
            return self.hide(data)
        if self._told is not None:
            text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
            data = self._told(text)
        raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        artifact = Artifact(hashlib.sha256(raw).hexdigest())
        path = self.path(artifact)
        if not self._whole(path, len(raw)):
            write_atomic_bytes(path, raw)
        return artifact

    def read(self, artifact: Artifact) -> bytes:
        """Return what was kept; a file that is gone or was changed is a `RecordedDataError`."""
        path = self._found(artifact)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            message = f"{path}: the artifact is gone"
            raise RecordedDataError(
                message, hint="restore the file from a backup, or run the check again"
            ) from None
        found = hashlib.sha256(data).hexdigest()
        if found != artifact:
            message = f"{path}: the content has changed since it was recorded (sha256 is {found})"
            raise RecordedDataError(message, hint="restore the file from a backup, or run the check again")
        return data

    def kept_at(self, artifact: Artifact) -> str:
        """Name the file of what was kept or hidden."""
        return str(self._found(artifact))

    def _found(self, artifact: Artifact) -> Path:
        """Return the file of an artifact; one that is hidden lasts from its last use."""
        path = self.path(artifact)
        if self.hidden is not None and not path.is_file():
            hidden = Artifacts(self.hidden.place / self.hidden.project).path(artifact)
            if hidden.is_file():
                os.utime(hidden)
                return hidden
        return path

    def path(self, artifact: Artifact) -> Path:
        """Return the file of an artifact, whether it is there or not."""
        if not _SHA256.fullmatch(artifact):
            message = f"{artifact!r} names no artifact: it is not a sha256 in 64 hexadecimal digits"
            raise RecordedDataError(message, hint="take the name from `setpoint show RUN --json`")
        return self._folder / artifact[:2] / artifact[2:]

    @staticmethod
    def _whole(path: Path, size: int) -> bool:
        # A file in place was renamed there in full; another size means that somebody cut or changed it.
        try:
            return path.stat().st_size == size
        except FileNotFoundError:
            return False
