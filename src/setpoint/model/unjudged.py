"""Edits that a run leaves without a judgement."""

from __future__ import annotations

from setpoint.model.ids import Commit
from setpoint.model.value import Value


class UnjudgedEdits(Value):
    """What a try edited that Setpoint keeps and did not judge; it is no result of the run."""

    label: str
    """Label of the snapshot; the ref `refs/setpoint/LABEL` in Setpoint's repository of the work copy."""
    commit: Commit
    files: int
    insertions: int
    deletions: int
    copy_of: str = ""
    """Name of the candidate's work copy in whose repository it is; empty: in that of the run."""

    @property
    def shown(self) -> str:
        """The edits in words."""
        change = (
            f"{self.files} {'file' if self.files == 1 else 'files'}, +{self.insertions} -{self.deletions}"
        )
        return f"{change}, at {self.label}: not judged"
