"""The evidence of a run as a commit of its own, which a forge keeps under a ref."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.model.ids import Commit, TraceId
from setpoint.system.git.git import git


async def evidence_commit(root: Path, files: Mapping[str, bytes], run: TraceId) -> Commit:
    """Write files as a commit without a parent; the same files give the same commit."""
    lines = []
    for name in sorted(files):
        blob = (await git(root, "hash-object", "-w", "--stdin", stdin=files[name])).text
        lines.append(f"100644 blob {blob}\t{name}")
    tree = (await git(root, "mktree", stdin="".join(f"{line}\n" for line in lines).encode())).text
    content = (
        f"tree {tree}\nauthor Setpoint <setpoint@localhost> 0 +0000\n"
        f"committer Setpoint <setpoint@localhost> 0 +0000\n\nEvidence of {run}\n"
    )
    return Commit(
        (await git(root, "hash-object", "-t", "commit", "-w", "--stdin", stdin=content.encode())).text
    )
