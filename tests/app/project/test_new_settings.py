"""`setpoint init`: what tests need is proposed, or stated where it was measured; never a secret."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from setpoint.app.project.new_settings import write_settings
from setpoint.checks.needs.carried_files import remember
from setpoint.model.config.local_needs import Needs
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
