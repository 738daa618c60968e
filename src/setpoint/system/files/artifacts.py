"""Big things by their content: tool output, transcripts, diffs and reports."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from setpoint.errors import RecordedDataError, WorkspaceError
from setpoint.model.ids import Artifact
from setpoint.system.files.atomic import write_atomic_bytes
from setpoint.system.files.private_folder import WITHHELD, HiddenFolder

_SHA256 = re.compile(r"[0-9a-f]{64}")


class RemoteArtifacts(Protocol):
    """Where artifacts lie beside the files of this machine, so that other machines read them, too."""

    def put(self, digest: str, data: bytes, *, hidden: bool) -> None:
        """Keep bytes under their sha256."""

    def get(self, digest: str) -> tuple[bytes, bool] | None:
        """Return bytes, and whether they are hidden; none where they were never kept."""


class Artifacts:
    """Keeps bytes in files named by their sha256; what is kept never changes."""

    def __init__(
        self,
        folder: Path,
        told: Callable[[str], str] | None = None,
        hidden: HiddenFolder | None = None,
        remote: RemoteArtifacts | None = None,
    ) -> None:
        """Use a folder, which is made when the first artifact is kept; `told` says what is kept of each.

        What is withheld is kept in the folder `hidden`; `remote` holds all of it, too, for other machines.
        """
        self._folder = folder
        self._told = told
        self.hidden = hidden
        self._remote = remote

    def with_texts(self, told: Callable[[str], str]) -> Artifacts:
        """Return the same store, which keeps of texts what `told` returns."""
        return Artifacts(self._folder, told, self.hidden, self._remote)

    def hide(self, data: bytes | str) -> Artifact:
        """Keep bytes where no process of a maker reads them; `read` finds them, too."""
        if self.hidden is None:
            raise WorkspaceError("there is no folder for hidden tests", hint="set SETPOINT_HIDDEN_DIR")
        artifact = Artifacts(self.hidden.made()).keep(data)
        if self._remote is not None:
            self._remote.put(artifact, _bytes(data), hidden=True)
        return artifact

    def keep(self, data: bytes | str) -> Artifact:
        """Keep bytes, or a text in UTF-8, and give their sha256; they then outlast a loss of power."""
        if self.hidden is not None and WITHHELD.get():
            return self.hide(data)
        if self._told is not None:
            text = data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
            data = self._told(text)
        raw = _bytes(data)
        artifact = Artifact(hashlib.sha256(raw).hexdigest())
        path = self.path(artifact)
        if not self._whole(path, len(raw)):
            write_atomic_bytes(path, raw)
            if self._remote is not None:
                self._remote.put(artifact, raw, hidden=False)
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
        if self._remote is not None and not path.is_file() and (found := self._remote.get(artifact)):
            data, secret = found
            own = (
                Artifacts(self.hidden.made())
                if secret and self.hidden is not None
                else Artifacts(self._folder)
            )
            return own.path(own.keep(data))
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


def _bytes(data: bytes | str) -> bytes:
    return data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
