"""A maker cannot hide its own files by ignore rules that it adds."""

from pathlib import Path

import pytest

from setpoint.model.ids import TraceId
from setpoint.system.git.git import head
from setpoint.testing.contracts.workspace import attempt
from workspace.repository import commit_all, git, repository, workspace_of

RUN = TraceId("run-1")


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


async def opened(tmp_path: Path, **files: str):
    root = repository(tmp_path / "project")
    write(root, **files)
    commit_all(root)
    workspace = workspace_of(root)
    return workspace, await workspace.open(RUN, await head(root))


@pytest.mark.parametrize(
    ("rules", "rule"), [(".gitignore", "new.py"), (".gitignore", "*"), ("pkg/.gitignore", "*")]
)
async def test_a_rule_of_the_maker_hides_none_of_its_files(tmp_path: Path, rules: str, rule: str):
    workspace, copy = await opened(tmp_path)
    path = Path(copy.path)
    write(path, **{rules: f"{rule}\n", "pkg/new.py": "c = 3\n"})
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert set(made.files) == {rules, "pkg/new.py"}
    assert "pkg/new.py" in made.unhidden
    await workspace.restore(copy, copy.base)
    assert not (path / "pkg" / "new.py").exists()
    await workspace.restore(copy, made.commit)
    assert (path / "pkg" / "new.py").read_text() == "c = 3\n"
    write(path, **{"pkg/new.py": "c = 4\n"})
    again = await workspace.snapshot(copy, "implement-2", attempt())
    assert (again.files, again.unhidden) == (("pkg/new.py",), ("pkg/new.py",))
    assert "pkg/new.py" in git(Path(copy.repository), "ls-tree", "-r", "--name-only", again.commit)


async def test_hidden_work_that_was_not_recorded_is_found_after_a_crash(tmp_path: Path):
    workspace, copy = await opened(tmp_path)
    path = Path(copy.path)
    write(path, **{".gitignore": "new.py\n", "new.py": "c = 3\n"})
    await workspace.open(RUN, copy.base)
    assert not (path / "new.py").exists()
    assert await workspace.recall(copy)
    assert (path / "new.py").read_text() == "c = 3\n"


async def test_rules_of_the_base_still_count_where_the_maker_changes_them(tmp_path: Path):
    workspace, copy = await opened(tmp_path, **{"pkg/.gitignore": "/local.py\n*.txt\n!kept.txt\n"})
    path = Path(copy.path)
    write(path, **{"pkg/local.py": "mine\n", "pkg/kept.txt": "kept\n", "pkg/other.txt": "no\n"})
    write(path, **{".gitignore": "*.log\nbuild/\nkept.txt\n", "trace.log": "no\n", "build/x.py": "no\n"})
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert set(made.files) == {".gitignore", "pkg/kept.txt"}
    assert made.unhidden == ()


async def test_a_rule_that_the_maker_removes_shows_files(tmp_path: Path):
    workspace, copy = await opened(tmp_path)
    write(Path(copy.path), **{".gitignore": "", "example.log": "line\n"})
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert (set(made.files), made.unhidden) == ({".gitignore", "example.log"}, ())


async def test_what_is_made_by_running_things_stays_out(tmp_path: Path):
    workspace, copy = await opened(tmp_path)
    path = Path(copy.path)
    write(
        path,
        **{
            ".gitignore": "*\n",
            "out/main.js": "built\n",
            "node_modules/a/index.js": "installed\n",
            "my env/pyvenv.cfg": "",
            "my env/lib/a.py": "installed\n",
            "objects/CACHEDIR.TAG": "",
            "objects/a.txt": "cached\n",
            ".tool/.gitignore": "*\n",
            ".tool/state.json": "{}\n",
            "report/.gitignore": "*\n",
            "app.sqlite3": "",
            ".env": "SECRET=1\n",
            "large.json": "x" * 1_000_001,
            "work.py": "c = 3\n",
        },
    )
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert set(made.files) == {".gitignore", "work.py"}
    assert made.unhidden == ("work.py",)


async def test_a_file_of_the_tree_cannot_stand_in_for_the_rules_of_the_base(tmp_path: Path):
    workspace, copy = await opened(tmp_path)
    path = Path(copy.path)
    (path / ".gitignore").unlink()
    (path / ".gitignore").symlink_to("rules")
    write(path, rules="*\n", **{"trace.log": "no\n", "work.py": "c = 3\n"})
    made = await workspace.snapshot(copy, "implement-1", attempt())
    assert "work.py" in made.files
