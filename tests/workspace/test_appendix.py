"""What is appended to a file of the branch: a commit of its own, and never a text that stood there lost."""

from pathlib import Path

import pytest

from setpoint.model.ids import TraceId
from setpoint.ports import Appendix
from setpoint.system.git.git import head
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.delivery import GitBranchForge
from workspace.repository import commit_all, git, repository, workspace_of

DEBTS = Appendix(
    "TECH_DEBT.md", "# Known issues\n", "\n## today\n\n- [ ] one\n", message="Known issues of it"
)


async def delivered(root: Path, appendix: Appendix = DEBTS) -> str:
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), await head(root))
    (Path(copy.path) / "calc.py").write_text("a = 2\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    return await GitBranchForge(root).deliver(
        copy, made.commit, "setpoint/fix", message="Fix it", appendix=appendix
    )


async def test_it_is_a_commit_of_its_own_behind_the_work(tmp_path):
    root = repository(tmp_path / "user")

    branch = await delivered(root)

    assert git(root, "log", "--format=%s", f"main..{branch}").splitlines() == ["Known issues of it", "Fix it"]
    assert git(root, "show", f"{branch}:TECH_DEBT.md") == "# Known issues\n\n## today\n\n- [ ] one"
    assert git(root, "show", "--format=", "--name-only", f"{branch}~1").splitlines() == ["calc.py"]
    assert git(root, "show", "--format=", "--name-only", branch).splitlines() == ["TECH_DEBT.md"]
    assert git(root, "status", "--porcelain") == ""


async def test_what_stood_there_stays(tmp_path):
    root = repository(tmp_path / "user")
    (root / "TECH_DEBT.md").write_text("Our debts\r\n- old", newline="")
    commit_all(root)

    branch = await delivered(root)

    text = git(root, "cat-file", "blob", f"{branch}:TECH_DEBT.md")
    assert text.splitlines() == ["Our debts", "- old", "", "## today", "", "- [ ] one"]


async def test_a_file_in_a_folder_is_made(tmp_path):
    root = repository(tmp_path / "user")

    branch = await delivered(root, DEBTS._replace(path="docs/debts.md"))

    assert git(root, "show", f"{branch}:docs/debts.md").startswith("# Known issues")


@pytest.mark.parametrize("kind", ["link", "folder"])
async def test_what_is_no_plain_file_is_left_alone(tmp_path, kind):
    root = repository(tmp_path / "user")
    place = root / "TECH_DEBT.md"
    if kind == "link":
        place.symlink_to("/etc/passwd")
    else:
        place.mkdir()
        (place / "one.md").write_text("mine\n")
    commit_all(root)

    branch = await delivered(root)

    assert git(root, "show", f"{branch}:TECH_DEBT-2.md").startswith("# Known issues")
    assert git(root, "diff", "--name-only", f"{branch}~1", branch) == "TECH_DEBT-2.md"


async def test_other_debts_are_another_delivery(tmp_path):
    root = repository(tmp_path / "user")

    names = [await delivered(root, each) for each in (DEBTS, DEBTS, DEBTS._replace(text="\n- other\n"))]

    assert names == ["setpoint/fix", "setpoint/fix", "setpoint/fix-2"]
