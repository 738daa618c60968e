"""The evidence of a run as a commit of its own."""

from setpoint.app.forge.evidence import evidence_commit
from setpoint.model.ids import TraceId
from workspace.repository import git, repository


async def test_the_same_files_give_the_same_commit_that_holds_them_alone(tmp_path):
    root = repository(tmp_path / "r")
    files = {"statement.json": b"{}\n", "report.md": b"# Report\n"}
    first = await evidence_commit(root, files, TraceId("run-1"))

    assert await evidence_commit(root, files, TraceId("run-1")) == first
    assert git(root, "ls-tree", "--name-only", first).split() == ["report.md", "statement.json"]
    assert git(root, "rev-list", "--count", first) == "1"
    assert git(root, "show", f"{first}:statement.json") == "{}"
