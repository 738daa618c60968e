"""Repositories of every shape that users have."""

import os
from pathlib import Path

import pytest

from setpoint.errors import WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.system.git.git import commit_of, head
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.delivery import GitBranchForge
from workspace.repository import commit_all, git, repository, workspace_of

RUN = TraceId("run-1")


async def round_trip(root: Path) -> Path:
    """Change one file in a work copy and have it delivered; gives the work copy."""
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    (Path(copy.path) / "calc.py").write_text("a = 'changed'\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == ("calc.py",)
    name = await GitBranchForge(root).deliver(copy, made.commit, "setpoint/story", message="m")
    assert git(root, "show", f"{name}:calc.py") == "a = 'changed'"
    assert git(root, "diff", "--name-only", f"{copy.base}", name) == "calc.py"
    return Path(copy.path)


async def test_a_path_with_blanks_quotes_and_umlauts(tmp_path: Path):
    await round_trip(repository(tmp_path / "mein 'schönes' \"Projekt\" $x"))


async def test_a_shallow_clone(tmp_path: Path):
    origin = repository(tmp_path / "origin")
    for number in range(3):
        (origin / "calc.py").write_text(f"a = {number}\n")
        commit_all(origin, f"change {number}")
    git(tmp_path, "clone", "-q", "--depth", "1", origin.as_uri(), "shallow")
    root = tmp_path / "shallow"
    assert git(root, "rev-parse", "--is-shallow-repository") == "true"
    copy = await round_trip(root)
    assert len(git(copy, "log", "--format=%h").splitlines()) == 2
    store = next((root / ".setpoint" / "snapshots").glob("*.git"))
    assert not list((store / "objects" / "pack").glob("*.pack"))  # borrowed, not copied
    git(root, "fetch", "-q", "--unshallow")
    git(root, "fsck", "--connectivity-only")


async def test_a_partial_clone_at_a_commit_whose_files_are_not_there_yet(tmp_path: Path):
    origin = repository(tmp_path / "origin")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    (origin / "calc.py").write_text("a = 2\n")
    commit_all(origin)
    git(tmp_path, "clone", "-q", "--filter=blob:none", origin.as_uri(), "partial")
    root = tmp_path / "partial"
    base = await commit_of(root, "HEAD~1")
    assert git(root, "rev-list", "--objects", "--no-walk", "--missing=print", base).count("?") == 1

    copy = await workspace_of(root).open(RUN, base)
    assert (Path(copy.path) / "calc.py").read_text() == "a = 1\n"


async def test_a_partial_clone_whose_remote_is_gone_says_what_is_missing(tmp_path: Path):
    origin = repository(tmp_path / "origin")
    git(origin, "config", "uploadpack.allowFilter", "true")
    (origin / "calc.py").write_text("a = 2\n")
    commit_all(origin)
    git(tmp_path, "clone", "-q", "--filter=blob:none", origin.as_uri(), "partial")
    origin.rename(tmp_path / "away")
    root = tmp_path / "partial"

    with pytest.raises(WorkspaceError, match="partial clone lacks files of") as raised:
        await workspace_of(root).open(RUN, await commit_of(root, "HEAD~1"))
    assert "git checkout" in raised.value.hint


async def test_a_linked_worktree_at_a_commit_of_its_own(tmp_path: Path):
    root = repository(tmp_path / "project")
    git(root, "worktree", "add", "-q", "--detach", "../linked")
    linked = tmp_path / "linked"
    (linked / "pkg" / "mod.py").write_text("b = 'linked'\n")
    commit_all(linked, "only here")
    copy = await round_trip(linked)
    assert (copy / "pkg" / "mod.py").read_text() == "b = 'linked'\n"
    assert git(root, "show", "setpoint/story:pkg/mod.py") == "b = 'linked'"


async def test_a_repository_that_borrows_objects_itself(tmp_path: Path):
    origin = repository(tmp_path / "origin")
    git(tmp_path, "clone", "-q", "--shared", str(origin), "borrower")
    await round_trip(tmp_path / "borrower")


async def test_a_repository_with_a_submodule(tmp_path: Path):
    part = repository(tmp_path / "part")
    root = repository(tmp_path / "project")
    git(root, "submodule", "--quiet", "add", str(part), "vendor/part")
    commit_all(root, "with a part")
    copy = await round_trip(root)
    assert list((copy / "vendor" / "part").iterdir()) == []


async def test_a_repository_with_large_file_pointers(tmp_path: Path):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    files = {
        "calc.py": "a = 1\n",
        "model.bin": pointer,
        ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    }
    copy = await round_trip(repository(tmp_path / "project", files))
    assert (copy / "model.bin").read_text() == pointer


async def test_a_repository_without_a_commit_says_so(tmp_path: Path):
    git(tmp_path, "init", "-q", "empty")
    root = tmp_path / "empty"
    with pytest.raises(WorkspaceError, match="no commit yet") as caught:
        await workspace_of(root).open(RUN, "0" * 40)
    assert "git commit" in caught.value.hint


async def test_tags_reach_the_work_copy_and_nothing_to_push_to_does(tmp_path: Path):
    root = repository(tmp_path / "project")
    git(root, "tag", "v1.2.3")
    git(root, "remote", "add", "origin", "https://example.org/never.git")
    copy = await round_trip(root)
    assert git(copy, "describe", "--tags", "HEAD~1") == "v1.2.3"
    assert git(copy, "remote") == ""
    assert git(root / ".setpoint" / "snapshots" / "run-1.git", "remote") == ""


async def test_names_modes_links_and_bytes_survive(tmp_path: Path):
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    path = Path(copy.path)
    (path / 'ünï 漢字\t"q".txt').write_text("x\n")
    (path / "two\nlines").write_text("y\n")
    (path / "tool.sh").write_text("#!/bin/sh\n")
    (path / "tool.sh").chmod(0o755)
    (path / "link").symlink_to("calc.py")
    (path / "dangling").symlink_to("../outside")
    (path / "data.bin").write_bytes(b"\0\xff\r\n" * 50)
    (path / "crlf.txt").write_bytes(b"a\r\nb\r\n")
    (path / os.fsdecode(b"latin-\xe9.txt")).write_text("z\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert len(made.files) == 8
    assert made.model_validate_json(made.model_dump_json()) == made
    await workspace.restore(copy, copy.base)
    assert sorted(each.name for each in path.iterdir()) == [".git", ".gitignore", "calc.py", "pkg"]
    await workspace.restore(copy, made.commit)
    assert (path / 'ünï 漢字\t"q".txt').read_text() == "x\n"
    assert (path / "two\nlines").read_text() == "y\n"
    assert (path / "tool.sh").stat().st_mode & 0o111
    assert (path / "link").readlink() == Path("calc.py")
    assert (path / "dangling").readlink() == Path("../outside")
    assert (path / "data.bin").read_bytes() == b"\0\xff\r\n" * 50
    assert (path / "crlf.txt").read_bytes() == b"a\r\nb\r\n"
    assert "Binary files /dev/null and b/data.bin differ" in await workspace.diff(
        copy, copy.base, made.commit
    )
