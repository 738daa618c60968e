"""Work copies in the hands of agents that crash, cheat or make a mess."""

import shutil
from pathlib import Path

import pytest

from setpoint.errors import RecordedDataError, WorkspaceError
from setpoint.model.ids import TraceId
from setpoint.ports import WorkCopy
from setpoint.system.git.git import ask, changed_files, changed_lines, head, located
from setpoint.testing.contracts.workspace import attempt
from setpoint.workspace.work_copy import GitWorkspace
from workspace.repository import commit_all, fingerprint, git, repository, workspace_of

RUN = TraceId("run-1")


@pytest.fixture
async def opened(tmp_path: Path) -> tuple[GitWorkspace, WorkCopy, Path]:
    root = repository(tmp_path / "project")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    return workspace, copy, Path(copy.path)


def vault(copy: WorkCopy) -> Path:
    return Path(copy.repository)


def salvaged(copy: WorkCopy) -> list[str]:
    return git(vault(copy), "for-each-ref", "--format=%(refname)", "refs/setpoint/salvage/").splitlines()


async def test_an_agent_sees_a_clean_repository(opened):
    _, copy, path = opened
    assert git(path, "status", "--porcelain", "--ignored") == ""
    assert git(path, "rev-parse", "HEAD") == copy.base
    assert git(path, "rev-parse", "--show-toplevel") == str(path)


async def test_ignored_files_and_caches_are_never_committed(opened):
    workspace, copy, path = opened
    for name in (
        "trace.log",
        "build/out.o",
        "pkg/__pycache__/mod.pyc",
        ".pytest_cache/v",
        ".coverage",
        ".coverage.host.1",
    ):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("rubbish")
    (path / ".coveragerc").write_text("[run]\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == (".coveragerc",)
    await workspace.restore(copy, made.commit)
    assert sorted(each.name for each in path.iterdir()) == [
        ".coveragerc",
        ".git",
        ".gitignore",
        "calc.py",
        "pkg",
    ]
    assert not salvaged(copy)


async def test_an_environment_that_the_agent_makes_is_never_committed(opened):
    workspace, copy, path = opened
    for name in ("venv/pyvenv.cfg", "venv/lib/a.py", "web/node_modules/left/index.js", "web/app.js"):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text("installed")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == ("web/app.js",)
    assert (path / "venv" / "lib" / "a.py").is_file()


async def test_output_that_is_ignored_later_leaves_the_change(opened):
    workspace, copy, path = opened
    (path / "data.sqlite3").write_text("large")
    first = await workspace.snapshot(copy, "implement-1", attempt())
    assert first.files == ("data.sqlite3",)
    with (path / ".gitignore").open("a") as rules:
        rules.write("*.sqlite3\n")
    second = await workspace.snapshot(copy, "implement-2", attempt())
    assert await changed_files(copy.repository, copy.base, second.commit) == (".gitignore",)


async def test_the_users_private_excludes_hold_too(tmp_path: Path):
    root = repository(tmp_path / "project")
    (root / ".git" / "info" / "exclude").write_text("private.txt")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    (Path(copy.path) / "private.txt").write_text("x")
    assert (await workspace.snapshot(copy, "implement-1", attempt())).empty


async def test_what_the_agent_committed_itself_counts_as_its_change(opened):
    workspace, copy, path = opened
    (path / "calc.py").write_text("a = 2\n")
    commit_all(path, "I am done")
    git(path, "checkout", "-q", "-b", "mine")
    (path / "new.py").write_text("c = 3\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert sorted(made.files) == ["calc.py", "new.py"]
    assert made.parent == copy.base
    assert git(path, "rev-parse", "HEAD") == made.commit
    assert git(path, "status", "--porcelain") == ""


async def test_a_file_hidden_from_the_index_is_seen(opened):
    workspace, copy, path = opened
    git(path, "update-index", "--assume-unchanged", "calc.py")
    git(path, "update-index", "--skip-worktree", "pkg/mod.py")
    (path / "calc.py").write_text("a = 'hidden'\n")
    (path / "pkg" / "mod.py").write_text("b = 'hidden'\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == ("calc.py", "pkg/mod.py")
    (path / "calc.py").write_text("a = 'hidden again'\n")
    await workspace.restore(copy, copy.base)
    assert (path / "calc.py").read_text() == "a = 1\n"


async def test_configuration_of_the_agent_runs_nothing(opened):
    workspace, copy, path = opened
    trap = path.parent / "trap"
    git(path, "config", "core.fsmonitor", f"touch {trap}")
    git(path, "config", "filter.trap.clean", f"touch {trap}; cat")
    git(path, "config", "core.excludesFile", str(path / "hide"))
    (path / "hide").write_text("*\n")
    (path / ".gitattributes").write_text("* filter=trap\n")
    (path / "calc.py").write_text("a = 5\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert sorted(made.files) == [".gitattributes", "calc.py", "hide"]
    await workspace.restore(copy, copy.base)
    assert not trap.exists()


async def test_deleting_the_repository_does_not_reach_the_users(opened):
    workspace, copy, path = opened
    root = vault(copy).parents[2]
    before = fingerprint(root)
    shutil.rmtree(path / ".git")
    (path / "calc.py").write_text("a = 6\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == ("calc.py",)
    shutil.rmtree(path / ".git")
    await workspace.restore(copy, copy.base)
    shutil.rmtree(path)
    await workspace.open(RUN, copy.base)
    assert (path / "calc.py").read_text() == "a = 1\n"
    assert git(path, "status", "--porcelain") == ""
    assert fingerprint(root) == before


@pytest.mark.parametrize("inside", ["", "objects", "objects/info", "info", "HEAD", "index"])
async def test_a_link_to_the_users_repository_is_not_followed(opened, inside: str):
    workspace, copy, path = opened
    root = vault(copy).parents[2]
    before = fingerprint(root)
    own = path / ".git" / inside
    if own.is_dir():
        shutil.rmtree(own)
    else:
        own.unlink()
    own.symlink_to(root / ".git" / inside)
    (path / "calc.py").write_text("a = 7\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    await workspace.restore(copy, copy.base)
    assert made.files == ("calc.py",)
    assert fingerprint(root) == before
    assert not (root / ".git" / "objects" / "info" / "alternates").exists()
    assert git(path, "rev-parse", "HEAD") == copy.base


@pytest.mark.parametrize("names", [("empty",), ("full",), ("empty", "full")])
async def test_a_repository_inside_the_work_copy_is_committed_as_files(opened, names: tuple[str, ...]):
    workspace, copy, path = opened
    for name in names:
        (path / name).mkdir()
        git(path / name, "init", "-q")
        (path / name / "code.py").write_text("x = 1\n")
    if "full" in names:
        commit_all(path / "full", "inner")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == tuple(f"{name}/code.py" for name in names)
    await workspace.restore(copy, copy.base)
    assert not any((path / name).exists() for name in names)


async def test_others_can_ask_setpoints_own_repository(opened):
    workspace, copy, path = opened
    (path / "calc.py").write_text("a = 'mine'\n")
    commit_all(path, "I am done")
    assert await head(copy.repository) == copy.base
    shutil.rmtree(path / ".git")
    place = located(copy.repository, copy.path)
    assert (await ask(path, "diff", "--name-only", "HEAD", environment=place)).text == "calc.py"
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert await head(copy.repository) == made.commit
    assert await changed_lines(copy.repository, copy.base, made.commit) == {"calc.py": {1}}
    assert located("", copy.path) == {}


async def test_files_without_permissions_are_no_obstacle(opened):
    workspace, copy, path = opened
    (path / "locked").mkdir()
    (path / "locked" / "f.txt").write_text("x\n")
    (path / "locked" / "f.txt").chmod(0)
    (path / "locked").chmod(0o500)
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert made.files == ("locked/f.txt",)
    (path / "locked").chmod(0o500)
    await workspace.restore(copy, copy.base)
    assert not (path / "locked").exists()


async def test_uncommitted_work_is_salvaged_once_before_it_is_cleared(opened):
    workspace, copy, path = opened
    (path / "calc.py").write_text("half\n")
    await workspace.restore(copy, copy.base)
    assert salvaged(copy) == ["refs/setpoint/salvage/1"]
    assert git(vault(copy), "show", "refs/setpoint/salvage/1:calc.py") == "half"
    (path / "calc.py").write_text("half\n")
    await workspace.restore(copy, copy.base)
    (path / "calc.py").write_text("other half\n")
    await workspace.open(RUN, copy.base)
    assert salvaged(copy) == ["refs/setpoint/salvage/1", "refs/setpoint/salvage/2"]


async def test_an_attempt_comes_back_in_full(opened):
    workspace, copy, _ = opened
    spoken = attempt('{"a": 1}\n\n\0 "done" — ünï\r\n')
    made = await workspace.snapshot(copy, "implement-1", spoken, ["a b.py", "ü.py"])
    fresh = workspace_of(vault(copy).parents[2])
    assert await fresh.find(copy, "implement-1") == made
    assert made.attempt == spoken


@pytest.mark.parametrize("label", ["", "../x", "a b", "salvage", "x.lock", "a..b", "-x", "a/b"])
async def test_a_label_that_is_no_name_is_an_error(opened, label: str):
    workspace, copy, _ = opened
    with pytest.raises(WorkspaceError, match="label"):
        await workspace.snapshot(copy, label, attempt())


async def test_a_record_that_cannot_be_read_is_an_error_that_says_where(opened):
    workspace, copy, _ = opened
    git(vault(copy), "update-ref", "refs/setpoint/implement-1", copy.base)
    with pytest.raises(RecordedDataError, match=copy.base):
        await workspace.find(copy, "implement-1")


async def test_a_long_diff_leaves_out_whole_files_and_names_them(opened):
    workspace, copy, path = opened
    (path / "a_small.txt").write_text("small\n")
    (path / "big.txt").write_text("line\n" * 600_000)
    (path / "z_small.txt").write_text("small\n")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    diff = await workspace.diff(copy, copy.base, made.commit)
    assert len(diff) < 2_000_200
    assert "a_small.txt" in diff
    assert "+++ b/z_small.txt" in diff
    assert "+++ b/big.txt" not in diff
    assert diff.splitlines()[-1].startswith("[... 1 files left out: a/big.txt b/big.txt (")


async def test_a_renamed_file_is_shown_as_renamed(opened):
    workspace, copy, path = opened
    (path / "pkg" / "mod.py").rename(path / "pkg" / "named.py")
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert "rename to pkg/named.py" in await workspace.diff(copy, copy.base, made.commit)
    assert made.files == ("pkg/mod.py", "pkg/named.py")


async def test_state_below_a_link_works(tmp_path: Path):
    root = repository(tmp_path / "project")
    (tmp_path / "elsewhere").mkdir()
    (root / ".setpoint").symlink_to(tmp_path / "elsewhere")
    workspace = workspace_of(root)
    copy = await workspace.open(RUN, await head(root))
    (Path(copy.path) / "calc.py").write_text("a = 8\n")
    assert (await workspace.snapshot(copy, "implement-1", attempt())).files == ("calc.py",)


async def test_a_patch_is_put_on_the_files_and_not_through_the_agents_repository(opened):
    workspace, copy, path = opened
    trap = path.parent / "trap"
    git(path, "config", "filter.trap.smudge", f"touch {trap}; cat")
    git(path, "config", "filter.trap.clean", "cat")
    (path / ".git" / "info" / "attributes").write_text("* filter=trap\n")
    patch = "--- a/calc.py\n+++ b/calc.py\n@@ -1 +1 @@\n-a = 1\n+a = 7\n"
    assert await workspace.apply(copy, patch) == ""
    assert (path / "calc.py").read_text() == "a = 7\n"
    assert not trap.exists()
    assert "calc.py" in await workspace.apply(copy, patch)  # it does not fit a second time


async def test_what_steers_the_agents_repository_goes_with_its_changes(opened):
    workspace, copy, path = opened
    git(path, "config", "core.worktree", str(vault(copy).parents[2]))
    (path / ".git" / "info" / "attributes").write_text("* filter=trap\n")
    await workspace.restore(copy, copy.base)
    assert not (path / ".git" / "info" / "attributes").exists()
    assert git(path, "rev-parse", "--show-toplevel") == str(path)


async def test_a_dropped_work_copy_leaves_nothing_and_is_made_anew(opened):
    workspace, copy, path = opened
    other = await workspace.open(TraceId("run-1-r"), copy.base)
    (Path(other.path) / "scratch.py").write_text("x = 1\n", encoding="utf-8")
    await workspace.snapshot(other, "implement-1", attempt())

    await workspace.drop(other)

    assert not Path(other.path).parent.exists()
    assert not Path(other.repository).exists()
    assert path.exists()
    again = await workspace.open(TraceId("run-1-r"), copy.base)
    assert not (Path(again.path) / "scratch.py").exists()
    assert await workspace.find(again, "implement-1") is None
