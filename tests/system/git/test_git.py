"""Questions to git, on repositories made with git."""

import os
import subprocess
from pathlib import Path

import pytest

from setpoint.errors import WorkspaceError
from setpoint.system.git import git as questions
from setpoint.system.git.git import added_lines, unquoted
from workspace.repository import commit_all, fingerprint, git, repository


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", {"calc.py": "one\ntwo\nthree\n", "pkg/mod.py": "x = 1\n"})


async def test_the_root_is_found_from_below(root: Path):
    assert questions.repository_root(root / "pkg") == root


async def test_no_repository_is_an_error_with_a_mend(tmp_path: Path):
    with pytest.raises(WorkspaceError, match="not in the work tree") as caught:
        questions.repository_root(tmp_path)
    assert "git init" in caught.value.hint


async def test_a_bare_repository_is_no_work_tree(tmp_path: Path):
    git(tmp_path, "init", "-q", "--bare", "bare")
    with pytest.raises(WorkspaceError, match="work tree"):
        questions.repository_root(tmp_path / "bare")


async def test_a_missing_directory_is_named(tmp_path: Path):
    with pytest.raises(WorkspaceError, match="gone: no such directory"):
        questions.repository_root(tmp_path / "gone")


async def test_a_machine_without_git_says_what_to_install(root: Path, monkeypatch):
    monkeypatch.setenv("PATH", str(root))
    with pytest.raises(WorkspaceError, match="git cannot be started") as caught:
        await questions.head(root)
    assert "install git" in caught.value.hint


async def test_a_lost_object_is_told_with_what_to_do(root: Path):
    lost = git(root, "rev-parse", "HEAD:calc.py")
    (root / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    (root / "calc.py").unlink()
    with pytest.raises(WorkspaceError, match="unable to read sha1 file") as caught:
        await questions.git(root, "read-tree", "--reset", "-u", "HEAD")
    assert "git fsck" in caught.value.hint


async def test_head_and_tree(root: Path):
    head = await questions.head(root)
    assert head == git(root, "rev-parse", "HEAD")
    assert await questions.tree_of(root, head) == git(root, "rev-parse", "HEAD^{tree}")
    with pytest.raises(WorkspaceError, match="no commit beef"):
        await questions.tree_of(root, "beef")


async def test_a_repository_without_a_commit_says_so(tmp_path: Path):
    git(tmp_path, "init", "-q", "empty")
    with pytest.raises(WorkspaceError, match="no commit yet"):
        await questions.head(tmp_path / "empty")


async def test_variables_of_a_calling_hook_do_not_mislead(root: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert questions.repository_root(root) == root


async def test_no_repository_is_looked_for_above_the_one_asked_about(root: Path):
    with pytest.raises(WorkspaceError, match="no commit"):
        await questions.tree_of(root / "pkg", "HEAD")
    with pytest.raises(WorkspaceError, match="not a git repository"):
        await questions.git(root / "pkg", "add", "--all")


async def test_dirty_means_changed_staged_or_untracked(root: Path):
    assert not await questions.is_dirty(root)
    (root / "new.txt").write_text("x")
    assert await questions.is_dirty(root)
    git(root, "add", "new.txt")
    assert await questions.is_dirty(root)


async def test_a_folder_left_out_is_never_dirty(root: Path):
    (root / "stories*").mkdir()
    (root / "stories*" / "one.md").write_text("x")
    assert await questions.is_dirty(root)
    assert not await questions.is_dirty(root, "stories*")
    assert not await questions.is_dirty(root, "stories*/")
    (root / "stories-other.md").write_text("x")
    assert await questions.is_dirty(root, "stories*")


async def test_asking_does_not_refresh_the_index(root: Path):
    (root / "calc.py").write_text((root / "calc.py").read_text())
    before = fingerprint(root)
    await questions.is_dirty(root)
    assert fingerprint(root) == before


async def test_files_and_their_contents_at_a_commit(root: Path):
    names = {"ü ñ.txt": b"\xff\0\n", "two\nlines.txt": b"2\n", "plain": b"", "a missing": b"odd name\n"}
    for name, data in names.items():
        (root / name).write_bytes(data)
    latin = os.fsdecode(b"latin-\xe9")
    (root / latin).write_text("l")
    head = commit_all(root)
    assert set(await questions.files_at(root, head)) == {*names, latin, "calc.py", "pkg/mod.py"}
    wanted = [*names, latin, "not there", "not\nthere", "pkg"]
    assert await questions.contents(root, head, wanted) == {**names, latin: b"l"}
    assert await questions.show(root, head, "calc.py") == b"one\ntwo\nthree\n"
    assert await questions.show(root, head, "not there") is None
    with pytest.raises(WorkspaceError, match="no commit"):
        await questions.show(root, "0" * 40, "calc.py")


async def test_changed_lines_are_those_of_the_new_side(root: Path):
    base = await questions.head(root)
    (root / "calc.py").write_text("zero\none\n2\nthree\nfour\nfive\n")
    (root / "new file.py").write_text("a\nb\n")
    (root / "pkg" / "mod.py").rename(root / "pkg" / "moved.py")
    (root / "data.bin").write_bytes(b"\0\1" * 9)
    head = commit_all(root)
    assert await questions.changed_lines(root, base, head) == {"calc.py": {1, 3, 5, 6}, "new file.py": {1, 2}}
    assert await questions.changed_lines(root, base, base) == {}


async def test_lines_that_look_like_headers_do_not_mislead(root: Path):
    base = await questions.head(root)
    (root / "calc.py").write_text("++ b/evil.py\n@@ -1 +99 @@\ndiff --git a/x b/x\n-- a/x\n")
    (root / 'q\t"\\ü\n.py').write_text("1\n")
    head = commit_all(root)
    (root / "calc.py").write_text("two\n")
    last = commit_all(root)
    assert await questions.changed_lines(root, base, head) == {"calc.py": {1, 2, 3, 4}, 'q\t"\\ü\n.py': {1}}
    assert await questions.changed_lines(root, head, last) == {"calc.py": {1}}


async def test_the_users_taste_in_diffs_changes_nothing(root: Path):
    base = await questions.head(root)
    for name, value in {
        "diff.noprefix": "true",
        "diff.external": "false",
        "color.ui": "always",
        "diff.context": "9",
    }.items():
        git(root, "config", name, value)
    (root / "calc.py").write_text("one\n2\nthree\n")
    head = commit_all(root)
    assert await questions.changed_lines(root, base, head) == {"calc.py": {2}}
    assert await questions.changed_files(root, base, head) == ("calc.py",)


async def test_a_commit_is_found_by_any_name(root: Path):
    head = await questions.head(root)
    assert await questions.commit_of(root, "main") == head
    assert await questions.commit_of(root, head[:10]) == head
    assert await questions.commit_of(root, "--all") is None
    assert await questions.commit_of(root, "nothing") is None


async def test_gits_own_words_reach_the_error(root: Path):
    with pytest.raises(
        WorkspaceError, match=r"git cat-file -t nonsense failed \(128\): fatal: Not a valid object"
    ):
        await questions.git(root, "cat-file", "-t", "nonsense")


def test_a_patch_without_a_file_says_nothing():
    assert [lines for _, lines in added_lines(b"") if lines] == []


def test_quoted_names_are_read_as_git_writes_them(tmp_path: Path):
    git(tmp_path, "init", "-q")
    name = 'tab\t quote" back\\ bell\a é.txt'
    (tmp_path / name).write_text("x")
    written = subprocess.run(
        ["git", "-c", "core.quotePath=true", "ls-files", "-o"], cwd=tmp_path, check=True, capture_output=True
    ).stdout.rstrip(b"\n")
    assert written.startswith(b'"')
    assert os.fsdecode(unquoted(written)) == name
