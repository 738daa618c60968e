"""Hidden tests that a person gives."""

import asyncio
import subprocess

import pytest

from setpoint.app.runs.hidden_files import hidden_files
from setpoint.errors import UsageError
from setpoint.model.stories.story import Story
from setpoint.wiring.project import open_project

TEXT = "def test_mine():\n    assert False\n"


@pytest.fixture
def project(monkeypatch, tmp_path):
    monkeypatch.setenv("SETPOINT_HIDDEN_DIR", str(tmp_path / "hidden"))
    root = tmp_path / "project"
    for path in ("tests/unit/test_a.py", "tests/unit/test_b.py", "tests/test_c.py", "pkg/a_test.go"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "tests"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    return open_project(root)


def read(project, *given):
    story = Story(id="work", title="Add it", accept_hidden=given)
    return asyncio.run(hidden_files(project, story, "HEAD"))


@pytest.mark.parametrize(
    ("name", "place", "path"),
    [
        ("test_mine.py", "", "tests/unit/test_mine.py"),
        ("mine_test.go", "", "pkg/mine_test.go"),
        ("mine.spec.ts", "", "tests/mine.spec.ts"),
        ("test_mine.py", "=tests/api/test_x.py", "tests/api/test_x.py"),
    ],
)
def test_a_hidden_test_is_run_beside_the_others_or_where_it_is_said(project, tmp_path, name, place, path):
    file = tmp_path / name
    file.write_text(TEXT)

    (test,) = read(project, f"{file}{place}")

    assert (test.path, test.author) == (path, "")
    assert project.artifacts.read(test.source).decode() == TEXT
    assert project.artifacts.kept_at(test.source).startswith(str(tmp_path / "hidden"))
    assert project.artifacts.hidden.covered == (str(file),)


def test_a_file_of_the_repository_or_none_is_refused(project, tmp_path):
    with pytest.raises(UsageError, match="so the maker would read it"):
        read(project, "tests/test_c.py")
    with pytest.raises(UsageError, match="cannot be read"):
        read(project, str(tmp_path / "gone.py"))
