"""Mutants of scripts, judged by the real Stryker with each runner, as `setpoint lab mutate` asks for them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.app.checks.mutants import measure_mutants
from setpoint.app.checks.mutation_tools import VERSION
from setpoint.checks.cover.stryker import PACKAGES
from setpoint.errors import WorkspaceError
from setpoint.model.mutation import Fate
from setpoint.wiring.project import open_project

ROOT = Path(__file__).resolve().parents[3]
TOOLS, STRYKER = ROOT / ".tools" / "javascript" / "node_modules", ROOT / ".tools" / "stryker"
CODE = """function sign(value) {
  if (value < 0) {
    return "minus";
  }
  return "plus";
}

module.exports = { sign };
"""
HEADS = {
    "vitest": 'import { expect, test } from "vitest";\nimport { sign } from "../src/sign";\n',
    "jest": 'const { sign } = require("../src/sign");\n',
    "node_test": 'const test = require("node:test");\nconst { sign } = require("../src/sign");\n'
    'const expect = (is) => ({ toBe: (it) => require("node:assert").equal(is, it) });\n',
}
SCRIPTS = {"vitest": "vitest run", "jest": "jest", "node_test": "node --test"}
CASE = 'test("plus", () => { expect(sign(1)).toBe("plus"); });\n'
RUNNERS = [name if name == "vitest" else pytest.param(name, marks=pytest.mark.slow) for name in SCRIPTS]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    if not STRYKER.is_dir() or not TOOLS.is_dir() or shutil.which("node") is None:
        if os.environ.get("CI"):
            pytest.fail("Stryker is not installed")
        pytest.skip("Stryker is not installed; `make test-tools` installs it")
    opened = []

    def make(runner: str, case: str = CASE, folder: str = ""):
        root, within = tmp_path / "project", f"{folder}/" if folder else ""
        modern = runner == "vitest"
        manifest = {"scripts": {"test": SCRIPTS[runner]}, **({"type": "module"} if modern else {})}
        files = {
            ".gitignore": ".setpoint\nnode_modules\n",
            f"{within}package.json": json.dumps(manifest),
            f"{within}src/sign.js": CODE.replace("module.exports =", "export") if modern else CODE,
            f"{within}test/sign.test.js": HEADS[runner] + case,
        }
        write(root, {"package.json": "{}", **files})
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "base")
        (root / "node_modules").mkdir()
        for each in TOOLS.iterdir():
            (root / "node_modules" / each.name).symlink_to(each)
        packages = tmp_path / "data" / "setpoint" / "packages"
        packages.mkdir(parents=True)
        (packages / f"{PACKAGES[0]}@{VERSION}".replace("/", "+")).symlink_to(STRYKER)
        monkeypatch.chdir(root)
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        opened.append(open_project(root))
        return opened[0]

    yield make
    for each in opened:
        each.store.close()


def contents(folder: Path) -> list[str]:
    """List what lies in a package, without what links lead to."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if ".git/" not in str(path))


@pytest.mark.parametrize("runner", RUNNERS)
def test_stryker_judges_with_the_runner_of_the_package_and_leaves_it_alone(project, runner: str) -> None:
    opened = project(runner)
    before = contents(opened.root / "node_modules")

    report = measure_mutants(opened, ("src/sign.js",), budget_s=300, jobs=2)

    alive = [(each.line, each.after.strip()) for each in report.survivors]
    assert alive == [(2, "if (false) {"), (2, "if (value <= 0) {")]  # sign(1) takes the same way with both
    unreached = [each.line for each in report.mutants if each.verdict is Fate.UNCOVERED]
    assert unreached == [3, 3]  # the body behind the condition, and the text in it
    killed = [each for each in report.mutants if each.verdict is Fate.KILLED]
    assert {each.after.strip() for each in killed} >= {"if (true) {", 'return "";', "if (value >= 0) {"}
    assert all("sign.test.js" in each.test for each in killed)
    assert report.tests == 1
    assert git(opened.root, "status", "--porcelain") == ""
    assert contents(opened.root / "node_modules") == before


@pytest.mark.slow
def test_a_package_below_the_root_is_judged_by_its_own_tests(project, monkeypatch) -> None:
    opened = project("node_test", folder="packages/a")
    monkeypatch.chdir(opened.root / "packages/a/src")

    report = measure_mutants(opened, ("sign.js",), "2", budget_s=300, jobs=2)

    assert {each.file for each in report.mutants} == {"packages/a/src/sign.js"}
    assert len(report.survivors) == 2


@pytest.mark.parametrize(
    ("case", "why"),
    [
        ('test("plus", () => { expect(sign(1)).toBe("?"); });\n', r"plus fails on the original"),
        ("", "holds no test|runs no test"),
    ],
)
def test_tests_that_are_red_or_missing_judge_nothing(project, case: str, why: str) -> None:
    with pytest.raises(WorkspaceError, match=why):
        measure_mutants(project("node_test", case), ("src/sign.js",), budget_s=300)


def test_the_tests_run_the_stryker_that_is_installed_for_people() -> None:
    pinned = json.loads((ROOT / "tests/checks/stryker/package.json").read_text())["dependencies"]

    assert pinned == dict.fromkeys(PACKAGES, VERSION)
