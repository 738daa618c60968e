"""Static tools look at the tree while its tests write into it: what they find there is none of the tree's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from setpoint.checks.results import judged
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.checks.tree_scope import of_tree
from setpoint.model.config.custom_check import CustomCheck
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import Tree
from setpoint.settings import ChecksSettings, Settings

NO_TESTS = ChecksSettings(bandit=False, coverage=False, reruns=0, pytest=False, python=sys.executable)
WRITES = """\
import subprocess, sys
from pathlib import Path
Path("written.py").write_text("import os\\n")
sys.exit(subprocess.call(["ruff", "check", "--isolated", "--no-cache", "--output-format=json", "."]))
"""


def finding(file: str) -> Finding:
    return Finding(
        source="t", rule="r", severity=Severity.ERROR, category=Category.STYLE, message="m", file=file, line=1
    )


def left(tmp_path: Path, *files: str, rooted: bool = True):
    result = judged("t", Tree("t"), tuple(map(finding, files)), tool="t 1")
    return of_tree(result, {"a.py", "b/c.py"}, tmp_path, rooted=rooted)


def test_what_is_none_of_the_trees_is_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    (tmp_path / "written.py").touch()

    made = left(tmp_path, "a.py", "written.py", "gone.py", "")
    own = left(tmp_path, "a.py", "written.py", "gone.py", "", rooted=False)
    none = left(tmp_path, "gone.py")

    assert [each.file for each in made.findings] == ["a.py", ""]
    assert [each.file for each in own.findings] == ["a.py", "gone.py", ""]
    assert made.state is CheckState.FAIL
    assert made.evidence.counts == {"findings": 2}
    wanted = "left out 2 findings in files that are not part of the tree: gone.py, written.py"
    assert made.evidence.reason == wanted
    assert (none.state, none.findings) == (CheckState.PASS, ())


def test_installed_packages_and_linked_folders_stay(tmp_path: Path) -> None:
    tree, elsewhere = tmp_path / "tree", tmp_path / "elsewhere"
    (tree / "b").mkdir(parents=True)
    (tree / "b" / "c.py").touch()
    elsewhere.mkdir()
    (elsewhere / "x.py").touch()
    (tree / "link").symlink_to(tree / "b")
    (tree / "installed").symlink_to(elsewhere)
    files = ("link/c.py", "installed/x.py", "../x.py", str(elsewhere / "x.py"))

    assert [each.file for each in left(tree, *files).findings] == list(files)


@pytest.mark.parametrize("again", [False, True])
async def test_nothing_of_it_is_kept_for_the_same_tree(bench, again: bool) -> None:
    made = await bench({"a.py": "X = 1\n"})
    check = CustomCheck(command=("{python}", "-c", WRITES), format="ruff", timeout_s=60)
    settings = Settings(checks=NO_TESTS, check={"lint": check})
    made.evaluator = ProjectEvaluator(settings, made.artifacts, made.folders)

    for _ in range(1 + again):
        base = await made.measure(Stage.BASE)

    assert base.existing == 0
    assert base.evidence_of("lint").state is CheckState.PASS
    assert "written.py" in base.evidence_of("lint").reason
    assert base.evidence_of("lint").cached is again


@pytest.mark.parametrize("written", ["caf\\udce9.py", "caf\N{REPLACEMENT CHARACTER}.py"])
def test_a_name_that_is_not_utf_8_is_known_however_it_is_written(tmp_path: Path, written: str) -> None:
    result = judged("t", Tree("t"), (finding(written),), tool="t 1")

    assert of_tree(result, {"caf\udce9.py"}, tmp_path, rooted=True) is result
