"""Where tests alone are asked for, nothing else of the base may change."""

import subprocess
from types import SimpleNamespace

import pytest

from setpoint.checks.cover.report import only_tests
from setpoint.model.cover import CoverGoals

BASE = {"shop.py": "a = 1\n", "README.md": "hello\n", "tests/test_shop.py": "pass\n"}


def git(root, *words):
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"tests/test_shop.py": "1\n", "tests/test_new.py": "2\n", "tests/data.json": "{}\n"}, []),
        ({"README.md": None, "tests/test_new.py": "2\n"}, ["README.md"]),
        ({"shop.py": "a = 2\n"}, ["shop.py"]),
        ({"other.py": "b = 2\n"}, ["other.py"]),
        ({"notes.md": "what the tests say\n"}, []),
    ],
)
async def test_what_tests_run_may_change_nothing_else(tmp_path, changes, named):
    git(tmp_path, "init", "-q")
    for path, text in BASE.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    commits = []
    for _ in range(2):
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "state")
        commits.append(git(tmp_path, "rev-parse", "HEAD"))
        for path, text in changes.items():
            (tmp_path / path).unlink(missing_ok=True) if text is None else (tmp_path / path).write_text(text)
    measured = SimpleNamespace(copy=SimpleNamespace(path=str(tmp_path), base=commits[0]), commit=commits[1])

    found = await only_tests(measured, CoverGoals(only_tests=True))

    assert [each.file for each in found] == named
    assert all(each.file in each.message for each in found)
    assert not await only_tests(measured, CoverGoals())
