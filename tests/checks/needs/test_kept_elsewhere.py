"""Submodules and files of git LFS that the user has not fetched are named, never passed over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from checks.conftest import folders_of
from setpoint.checks.needs.kept_elsewhere import beside
from setpoint.checks.survey import Surveyor
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evidence import CheckState
from setpoint.settings import ChecksSettings, Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.git.git import head

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
LFS = {"data/.gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "data/a.bin": POINTER}


def git(root: Path, *argv: str) -> str:
    plain = ("-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "filter.lfs.clean=cat")
    words = ("git", *plain, *argv)
    return subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def made(root: Path, files: dict[str, str], *links: str) -> Path:
    root.mkdir()
    git(root, "init", "-q")
    entries = (f'[submodule "{link}"]\n\tpath = {link}\n\turl = ../{link}\n' for link in links)
    files = {"a.py": "X = 1\n", ".gitignore": ".setpoint\n", ".gitmodules": "".join(entries), **files}
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    git(root, "add", "-A")
    for link in links:
        (root / link).mkdir(parents=True)  # as git leaves one that is not fetched
        git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{link}")
    git(root, "commit", "-qm", "base")
    return root


async def test_what_is_missing_is_named(tmp_path: Path) -> None:
    links = tuple(f"parts/{name}" for name in "abcde")
    root = made(tmp_path / "project", LFS, *links)

    found = await beside(root, root, await head(root))

    assert found.missing == {
        "submodules": "the measured tree is without the files of 5 submodules "
        "(parts/a, parts/b, parts/c and 2 more)",
        "git-lfs": "the measured tree holds pointers of git LFS for 1 file (data/a.bin)",
    }


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"data/a.bin": POINTER},
        {".gitattributes": "*.bin filter=lfs\n", "a.bin": "the content\n", "lfs.md": POINTER},
    ],
    ids=["nothing", "no attributes", "no pointers"],
)
async def test_nothing_is_said_of_other_projects(tmp_path: Path, files: dict[str, str]) -> None:
    root = made(tmp_path / "project", files)

    assert (await beside(root, root, await head(root))).missing == {}


async def test_the_survey_and_each_check_say_it(tmp_path: Path) -> None:
    root = made(tmp_path / "project", LFS, "parts")
    checks = ChecksSettings(bandit=False, coverage=False, python=sys.executable)
    with_what = Settings(checks=checks), Artifacts(root / ".setpoint" / "artifacts"), folders_of(root)

    survey = await Surveyor(*with_what).survey(root)
    measured = await TreeEvaluator(*with_what).measure(root)

    assert {"submodules", "git-lfs"} <= survey.checks.keys()
    assert "git submodule update --init" in survey.missing["submodules"]
    told = {each.check: each for each in measured.evidence}
    assert told["submodules"].state is CheckState.NOT_MEASURED
    assert "1 submodule (parts)" in told["submodules"].reason
    assert "data/a.bin" in told["git-lfs"].reason
