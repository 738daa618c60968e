"""`setpoint init`: what tests need is proposed, or stated where it was measured; never a secret."""

from __future__ import annotations

import subprocess
import tomllib
from decimal import Decimal
from pathlib import Path

import pytest

from setpoint.app.project.new_settings import Choices, write_settings
from setpoint.checks.needs.carried_files import remember
from setpoint.model.config.local_needs import Needs
from setpoint.settings import load
from setpoint.wiring.project import open_project

TEST = 'import os\nfrom pathlib import Path\nHERE = Path("tests")\nload = HERE / "data" / "a.txt"\n'
TEST += 'from dotenv import load_dotenv\ndef test_it(): os.environ["SHOP_URL"]\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("SHOP_URL", "a-secret-address")
    monkeypatch.setenv("SETPOINT_CACHE_DIR", str(tmp_path / "cache"))
    made = tmp_path / "shop"
    (made / "tests" / "data").mkdir(parents=True)
    (made / "tests" / "test_a.py").write_text(TEST)
    (made / "tests" / "made.log").write_text("no test names it")
    (made / ".gitignore").write_text(".env\n.setpoint/\ndata/\n*.log\n")
    (made / ".env").write_text("KEY=a-secret-of-mine\n")
    for number in range(9):
        (made / "tests" / "data" / f"{number}.txt").write_text("x")
    subprocess.run(["git", "init", "-q"], cwd=made, check=True)
    subprocess.run(["git", "add", "-A"], cwd=made, check=True)
    return made


def test_what_tests_name_is_proposed_as_comments(root):
    made = write_settings(open_project(root))
    text = (root / "setpoint.toml").read_text()

    assert tomllib.loads(text) == {}
    proposed = text.partition("Remove the # to give")[2].replace("\n# ", "\n").partition("\n")[2]
    named = tomllib.loads(proposed)
    assert named["environment"] == {"pass": ["SHOP_URL"]}
    assert named["copy"] == {"files": [".env", "tests/data/**"]}
    assert "`.env`" in made.needs
    assert "secret" not in text + made.needs


def test_what_a_check_found_is_stated(root):
    project = open_project(root)
    remember(project.state, Needs(files=(".env",), build="make build"))

    made = write_settings(project)
    again = write_settings(open_project(root))

    stated = tomllib.loads((root / "setpoint.toml").read_text())
    assert stated == {"copy": {"files": [".env"], "build": "make build"}}
    assert made.needs == "the checks get `.env`, what `make build` makes, as stated there now"
    assert again.written is False


def _seen_by_git(root):
    argv = ["git", "status", "--porcelain", "--", "setpoint.toml"]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout


def test_git_ignores_the_file_in_this_clone_alone(root):
    rules = root / ".git" / "info" / "exclude"
    rules.write_text("*.own")

    write_settings(open_project(root))

    assert _seen_by_git(root) == ""
    assert rules.read_text() == "*.own\n/setpoint.toml\n"
    assert "setpoint.toml" not in (root / ".gitignore").read_text()


def test_a_shared_file_is_one_new_file_to_commit(root):
    write_settings(open_project(root), Choices(shared=True))
    assert _seen_by_git(root) == "?? setpoint.toml\n"


def test_what_was_chosen_is_set(root):
    write_settings(open_project(root), Choices(maker="claude", most_usd=Decimal("2.50")))
    stated = tomllib.loads((root / "setpoint.toml").read_text())
    assert stated == {"agents": {"maker": "claude"}, "limits": {"max_cost_usd": 2.5}}


def test_every_commented_setting_is_valid_without_its_mark(root):
    write_settings(open_project(root))
    file = root / "setpoint.toml"
    settings = file.read_text().partition("\n\n")[2].partition("# Tests or settings")[0]
    file.write_text(settings.replace("\n# ", "\n").removeprefix("# "))
    assert load(root).limits.max_iterations == 7
    assert "max_cost_usd" in tomllib.loads(file.read_text())["limits"]


def test_settings_in_pyproject_are_not_hidden_by_a_new_file(root):
    (root / "pyproject.toml").write_text("[tool.setpoint]\nstate_dir = '.setpoint'\n")
    assert write_settings(open_project(root)).written is False
    assert not (root / "setpoint.toml").exists()
