"""Whatever state the user's repository is in, a run leaves it so, byte for byte."""

from collections.abc import Callable
from pathlib import Path

import pytest

from setpoint.errors import WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.system.git.git import head
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.delivery import GitBranchForge
from setpoint.workspace.state_folder import ensure_state
from workspace.repository import commit_all, fingerprint, git, repository, workspace_of


def clean(root: Path) -> None:
    del root


def modified(root: Path) -> None:
    (root / "calc.py").write_text("a = 'mine'\n")


def staged(root: Path) -> None:
    modified(root)
    git(root, "add", "calc.py")
    (root / "calc.py").write_text("a = 'mine, later'\n")


def untracked(root: Path) -> None:
    (root / "notes.txt").write_text("mine\n")
    (root / "trace.log").write_text("ignored, mine\n")
    (root / "link").symlink_to("nowhere")


def stashed(root: Path) -> None:
    modified(root)
    git(root, "stash")


def detached(root: Path) -> None:
    commit_all(root, "two")
    git(root, "checkout", "-q", "--detach", "HEAD~1")


def merging(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "calc.py").write_text("a = 'other'\n")
    commit_all(root, "other")
    git(root, "checkout", "-q", "main")
    (root / "calc.py").write_text("a = 'main'\n")
    commit_all(root, "main")
    git(root, "merge", "other", check=False)
    assert (root / ".git" / "MERGE_HEAD").exists()


def with_remote_and_hooks(root: Path) -> None:
    git(root, "remote", "add", "origin", "https://example.org/never.git")
    for hook in ("pre-commit", "post-checkout", "reference-transaction", "post-commit", "pre-push"):
        path = root / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/sh\ntouch HOOK_WAS_HERE\nexit 1\n")
        path.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(root / ".git" / "hooks" / "pre-commit"))
    git(root, "config", "commit.gpgSign", "true")


def stale_index(root: Path) -> None:
    """A file touched without a change: git would like to refresh the index."""
    (root / "calc.py").write_text((root / "calc.py").read_text())


@pytest.mark.parametrize(
    "state",
    [clean, modified, staged, untracked, stashed, detached, merging, with_remote_and_hooks, stale_index],
    ids=lambda state: state.__name__,
)
async def test_the_users_repository_stays_byte_for_byte(tmp_path: Path, state: Callable[[Path], None]):
    root = repository(tmp_path / "project")
    state(root)
    before = fingerprint(root)
    base = await head(root)
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), base)
    (Path(copy.path) / "calc.py").write_text("a = 'done'\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    await workspace.restore(copy, base)
    await workspace.restore(copy, made.commit)
    await workspace.open(TraceId("run-1"), base)
    assert fingerprint(root) == before
    name = await GitBranchForge(root).deliver(copy, made.commit, "setpoint/story", message="Do it")
    assert name == "setpoint/story"
    delivered = (".git/refs/heads/setpoint", ".git/logs/refs/heads/setpoint")
    assert fingerprint(root, without=delivered) == before
    assert git(root, "show", "setpoint/story:calc.py") == "a = 'done'"
    assert git(root, "rev-parse", "setpoint/story^") == base


async def test_git_status_does_not_see_the_state(tmp_path: Path):
    root = repository(tmp_path / "project")
    ensure_state(root)
    workspace = workspace_of(root)
    await workspace.open(TraceId("run-1"), await head(root))
    assert git(root, "status", "--porcelain", "--ignored") == "!! .setpoint/"


def test_the_state_may_lie_elsewhere(tmp_path: Path):
    state = ensure_state(tmp_path, "deep/own state")
    assert state == tmp_path / "deep" / "own state"
    assert (state / ".gitignore").read_text() == "*\n"


async def test_what_was_delivered_does_not_need_the_work_copy(tmp_path: Path):
    import shutil

    root = repository(tmp_path / "project")
    state = ensure_state(root)
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), await head(root))
    (Path(copy.path) / "new.bin").write_bytes(bytes(range(256)) * 100)
    made = await workspace.snapshot(copy, "implement-1", attempt())
    await GitBranchForge(root).deliver(copy, made.commit, "setpoint/story", message="Do it")
    shutil.rmtree(state)
    assert git(root, "fsck", "--full", "--strict") == ""
    assert git(root, "log", "--format=%s", "setpoint/story") == "Do it\nbase"
    assert git(root, "ls-tree", "--name-only", "setpoint/story").splitlines() == [
        ".gitignore",
        "calc.py",
        "new.bin",
        "pkg",
    ]


async def test_a_branch_in_the_way_is_left_alone(tmp_path: Path):
    root = repository(tmp_path / "project")
    git(root, "branch", "setpoint")
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), await head(root))
    (Path(copy.path) / "calc.py").write_text("a = 3\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    forge = GitBranchForge(root)
    assert [await forge.deliver(copy, made.commit, "setpoint/story", message="m") for _ in range(2)] == [
        "setpoint-story",
        "setpoint-story",
    ]


async def test_a_branch_the_user_went_on_with_is_left_alone(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), await head(root))
    (Path(copy.path) / "calc.py").write_text("a = 3\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    forge = GitBranchForge(root)
    await forge.deliver(copy, made.commit, "setpoint/story", message="m")
    git(root, "checkout", "-q", "setpoint/story")
    (root / "calc.py").write_text("a = 4\n")
    mine = commit_all(root, "better")
    assert await forge.deliver(copy, made.commit, "setpoint/story", message="m") == "setpoint/story-2"
    assert git(root, "rev-parse", "setpoint/story") == mine


@pytest.mark.parametrize(
    ("name", "taken"),
    [("-x", "x"), ("a..b/ fix-it", "fix-it"), ("a..b", "a-b"), ("", "story"), ("a.lock", "a-lock")],
)
async def test_a_name_that_is_no_branch_becomes_one(tmp_path: Path, name: str, taken: str):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(TraceId("run-1"), await head(root))
    named = await GitBranchForge(root).deliver(copy, copy.base, name, message="m")
    assert named == f"setpoint/{taken}"
    assert git(root, "log", "-1", "--format=%s", named) == "m"


async def test_the_same_tree_with_another_message_is_another_delivery(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    forge, names = GitBranchForge(root), []
    for run, said in (("run-1", "not verified"), ("run-2", "verified"), ("run-2", "verified")):
        copy = await workspace.open(TraceId(run), await head(root))
        (Path(copy.path) / "calc.py").write_text("a = 3\n")
        made = await workspace.snapshot(copy, "implement-1", attempt())
        message = f"Do it\n\n{said} \u00fcber alles\n\nSetpoint-Run: {run}\n"
        names.append(await forge.deliver(copy, made.commit, "setpoint/story", message=message))
    assert names == ["setpoint/story", "setpoint/story-2", "setpoint/story-2"]
    assert "\n\nverified" in git(root, "log", "-1", "--format=%B", "setpoint/story-2")


@pytest.mark.parametrize("place", [".", "..", "../..", ".git", ".git/setpoint", "src/.."])
def test_the_users_own_folder_is_not_taken_for_the_state(tmp_path: Path, place: str):
    root = repository(tmp_path / "projects" / "project")
    before = fingerprint(tmp_path)
    with pytest.raises(WorkspaceError, match="state_dir"):
        ensure_state(root, place)
    assert fingerprint(tmp_path) == before


def test_a_folder_with_other_rules_for_git_is_left_alone(tmp_path: Path):
    root = repository(tmp_path / "project")
    (root / "pkg" / ".gitignore").write_text("*.tmp\n")
    before = fingerprint(root)
    with pytest.raises(WorkspaceError, match=r"pkg/\.gitignore"):
        ensure_state(root, "pkg")
    assert fingerprint(root) == before


def test_a_folder_that_git_ignores_already_keeps_its_rules(tmp_path: Path):
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / ".gitignore").write_text("# ours\n*\n!stories\n")
    assert ensure_state(tmp_path, "state") == ensure_state(tmp_path, "state")
    assert (tmp_path / "state" / ".gitignore").read_text() == "# ours\n*\n!stories\n"
