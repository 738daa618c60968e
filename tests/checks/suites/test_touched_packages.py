"""Before the whole suite the tests of touched packages run; `check --fast` runs no others."""

from __future__ import annotations

import shutil

import pytest

from checks.suites.conftest import absent
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.settings import ChecksSettings
from several_packages import REPOSITORIES, SOURCES, link_workspaces, with_code

CHECKS = ChecksSettings(bandit=False, coverage=False, pytest=False, reruns=0)
SUITES = {"javascript": "node_test", "go": "go_test", "rust": "cargo_test"}
LANGUAGES = [name if name == "go" else pytest.param(name, marks=pytest.mark.slow) for name in SUITES]
LAST = {
    "javascript": ("packages/c/index.js", "export const one = () => 2;\n", "packages/c"),
    "go": ("c/it.go", "package c\n\nfunc One() int {\n\treturn 2\n}\n", "c"),
    "rust": ("crates/c/src/lib.rs", "pub fn one() -> i64 {\n    2\n}\n", "crates/c"),
}


@pytest.fixture
def start(bench, request: pytest.FixtureRequest):
    async def make(language: str):
        if language == "javascript" and shutil.which("node") is None:
            absent("node")
        if language != "javascript":
            request.getfixturevalue({"go": "go", "rust": "cargo"}[language])
        files = {**REPOSITORIES[language], ".gitignore": "target\nnode_modules\n.setpoint\n"}
        made = await bench({**files, SOURCES[language]: with_code(language, "x + y")}, settings=CHECKS)
        if language == "javascript":
            link_workspaces(made.root)
        return made

    return make


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_touched_package_is_tested_before_the_whole_suite(start, language: str) -> None:
    made, (path, text, folder) = await start(language), LAST[language]
    await made.measure(Stage.BASE)
    await made.change({path: text})

    early, whole = await made.measure(Stage.EVALUATE), await made.measure(Stage.TEST)

    assert early.evidence_of(SUITES[language]).reason == f"for {folder}"
    assert (early.test_counts.get("failed"), early.test_counts.get("passed", 0)) == (1, 0)
    assert (whole.test_counts["failed"], whole.test_counts["passed"]) == (1, 2)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_fast_check_tests_touched_packages_and_says_which(start, language: str) -> None:
    made, (path, text, folder) = await start(language), LAST[language]
    evaluator = TreeEvaluator(made.settings, made.artifacts, made.folders)
    (made.root / SOURCES[language]).write_text(with_code(language, "x * y"))

    both = await evaluator.measure(made.root, "", fast=True)
    (made.root / SOURCES[language]).write_text(with_code(language, "x + y"))
    (made.root / path).write_text(text)
    last = await evaluator.measure(made.root, "", fast=True)
    (made.root / path).write_text(REPOSITORIES[language][path])
    (made.root / "README.md").write_text("for people\n")
    none = await evaluator.measure(made.root, "", fast=True)

    at = folder.removesuffix("c")
    assert both.evidence_of(SUITES[language]).reason == f"for {at}a, {at}b (depends on {at}a)"
    assert both.test_counts == {"failed": 2}
    assert (last.test_counts, last.evidence_of(SUITES[language]).reason) == ({"failed": 1}, f"for {folder}")
    assert none.evidence_of(SUITES[language]).state is CheckState.NOT_MEASURED
    assert none.evidence_of(SUITES[language]).reason == "not run: the change touches no package"
