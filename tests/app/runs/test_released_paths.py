"""Files of the measure apart from the tests are released by a request as tests are."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

from setpoint.app.runs.released_paths import with_released
from setpoint.model.ids import Commit, StoryId
from setpoint.model.stories.story import Story
from setpoint.wiring.project import open_project

FILES = {
    "rep.py": "def report(rows):\n    return rows\n",
    "golden/report.txt": "a\n",
    "data/rates.txt": "1\n",
    "tests/test_rep.py": "from rep import report\nGOLDEN = ROOT / 'golden' / 'report.txt'\n",
}


def git(root: Path, *argv: str) -> str:
    words = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost", *argv)
    return subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def test_a_request_releases_the_golden_file_that_it_asks_to_change(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    base = Commit(git(tmp_path, "rev-parse", "HEAD"))
    project = open_project(tmp_path)
    title = "Print two decimals, update golden/report.txt and update data/rates.txt"
    story = Story(id=StoryId("s"), title=title)

    released, notes = asyncio.run(with_released(project, story, base))

    assert released.may_change == ("golden/report.txt",)
    assert "golden/report.txt" in notes[0]
