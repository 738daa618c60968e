"""The tests that an agent wrote for a script, judged one by one with the real vitest."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from checks.conftest import git
from setpoint.checks.cover.script_suite import script_suite
from setpoint.checks.cover.script_tests import ScriptTests
from setpoint.settings import ChecksSettings, Settings
from setpoint.system.files.artifacts import Artifacts

TOOLS = Path(__file__).resolve().parents[3] / ".tools" / "javascript" / "node_modules"
CODE = """export function sign(value: number): string {
  if (value < 0) {
    return "minus";
  }
  if (value === 0) {
    return "zero";
  }
  return "plus";
}
"""
HEAD = 'import { expect, test } from "vitest";\nimport { sign } from "../src/sign";\n'
OLD = HEAD + '\ntest("plus", () => {\n  expect(sign(1)).toBe("plus");\n});\n'
NEW = (
    HEAD
    + """
test("minus", () => {
  expect(sign(-1)).toBe("minus");
});

test("minus again", () => {
  expect(sign(-2)).toBe("minus");
});

test("wrong", () => {
  expect(sign(0)).toBe("nothing");
});
"""
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    if not TOOLS.is_dir() or shutil.which("node") is None:
        if os.environ.get("CI"):
            pytest.fail("the tools for JavaScript are not installed")
        pytest.skip("the tools for JavaScript are not installed; `make test` installs what it can")
    root = tmp_path / "tree"
    files = {
        ".gitignore": "node_modules\n",
        "package.json": json.dumps({"type": "module", "scripts": {"test": "vitest run"}}),
        "src/sign.ts": CODE,
        "test/sign.test.ts": OLD,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "node_modules").mkdir()  # vitest keeps results in it, and other tests look at that of the tools
    for each in TOOLS.iterdir():
        (root / "node_modules" / each.name).symlink_to(each)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "base"]):
        git(root, *words)
    return root


async def judged(tree: Path) -> ScriptTests:
    settings = Settings(checks=ChecksSettings(python=sys.executable))
    artifacts = Artifacts(tree.parent / "artifacts")
    suite = await script_suite(tree, tree, settings, artifacts, tree.parent / "cache")
    assert not isinstance(suite, str), suite
    tests = ScriptTests(suite=suite, tree=tree, files=("src/sign.ts",))
    await tests.sift()
    return tests


async def test_what_gains_stays_and_the_rest_is_removed_from_its_file(tree: Path) -> None:
    (tree / "test/more.test.ts").write_text(NEW)

    tests = await judged(tree)

    assert tests.kept == ["test/more.test.ts::minus"]
    assert tests.dropped == {
        "test/more.test.ts::minus again": "it reaches nothing that the tests before it do not reach",
        "test/more.test.ts::wrong": "it does not pass",
    }
    left = (tree / "test/more.test.ts").read_text()
    assert left == HEAD + '\ntest("minus", () => {\n  expect(sign(-1)).toBe("minus");\n});\n'


async def test_a_file_that_loses_an_older_test_is_restored(tree: Path) -> None:
    (tree / "test/sign.test.ts").write_text(NEW)

    tests = await judged(tree)

    assert tests.kept == []
    assert (tree / "test/sign.test.ts").read_text() == OLD


async def test_without_a_runner_it_says_what_to_switch_on(tree: Path) -> None:
    (tree / "package.json").write_text("{}")
    git(tree, "commit", "-qam", "no runner")
    settings = Settings(checks=ChecksSettings(python=sys.executable))
    found = await script_suite(tree, tree, settings, Artifacts(tree / "a"), tree / "cache")

    assert isinstance(found, str)
    assert "checks.vitest = true" in found
