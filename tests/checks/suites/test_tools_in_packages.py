"""Tools that look at one package at a time run in each; a fast check points them at touched packages."""

from __future__ import annotations

import json

import pytest

from setpoint.checks.discovery.tool_folders import tool_folders
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evidence import CheckState
from setpoint.presets import presets
from setpoint.settings import ChecksSettings

CHECKS = ChecksSettings(bandit=False, coverage=False, pytest=False, go_test=False, cargo_test=False)
BAD_GO = 'package b\n\nimport "fmt"\n\nfunc F() {\n\tfmt.Printf("%d\\n", "x")\n}\n'
GO = {
    "go.work": "go 1.19\n\nuse (\n\t./a\n\t./b\n)\n",
    **{f"{name}/go.mod": f"module example.com/{name}\n\ngo 1.19\n" for name in "ab"},
    **{f"{name}/f.go": f"package {name}\n\nfunc F() {{}}\n" for name in "ab"},
}


async def test_go_vet_runs_in_each_module_of_a_workspace_and_a_fast_check_in_touched_ones(bench, go) -> None:
    made = await bench(GO, settings=CHECKS)
    evaluator = TreeEvaluator(made.settings, made.artifacts, made.folders)
    (made.root / "b/f.go").write_text(BAD_GO)

    whole = await evaluator.measure(made.root, "")
    fast = await evaluator.measure(made.root, "", fast=True)
    (made.root / "b/f.go").write_text(GO["b/f.go"])
    (made.root / "README.md").write_text("for people\n")
    none = await evaluator.measure(made.root, "", fast=True)

    for seen in (whole, fast):
        found = [(each.file, each.line) for each in seen.findings if each.source == "go_vet"]
        assert found == [("b/f.go", 6)]
    assert whole.evidence_of("go_vet").counts["commands"] == 2
    assert fast.evidence_of("go_vet").reason == "for b"
    assert none.evidence_of("go_vet").state is CheckState.NOT_MEASURED
    assert none.evidence_of("go_vet").reason == "not run: the change touches no package"


@pytest.mark.slow
async def test_clippy_names_files_of_a_crate_below_the_root_from_the_root(bench, cargo) -> None:
    crate = '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n'
    text = "pub fn f(x: bool) -> bool {\n    if x == true { true } else { false }\n}\n"
    made = await bench({"rust/Cargo.toml": crate, "rust/src/lib.rs": "pub fn g() {}\n"}, settings=CHECKS)
    (made.root / "rust/src/lib.rs").write_text(text)

    seen = await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root, "")

    assert {each.file for each in seen.findings if each.source == "clippy"} == {"rust/src/lib.rs"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["cargo clippy --all-features -- -D warnings", "cargo test --all-features"]
)
async def test_clippy_sees_the_features_of_the_own_command(bench, cargo, command: str) -> None:
    crate = '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n\n[features]\nextra = []\n'
    target = "lint" if "clippy" in command else "test"
    files = {"Cargo.toml": crate, "src/lib.rs": "pub fn g() {}\n", "Makefile": f"{target}:\n\t{command}\n"}
    made = await bench(files, settings=CHECKS)
    body = "pub fn f(x: bool) -> bool {\n    if x == true { true } else { false }\n}\n"
    text = f'#[cfg(feature = "extra")]\n{body}'
    (made.root / "src/lib.rs").write_text(text)

    seen = await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root, "")

    assert {each.line for each in seen.findings if each.source == "clippy"} == {3}


async def test_a_tool_that_is_pointed_at_the_tree_looks_at_touched_packages(bench) -> None:
    files = {
        **{
            f"packages/{name}/pyproject.toml": f'[project]\nname = "{name}"\nversion = "0"\n' for name in "ab"
        },
        **{f"packages/{name}/{name}.py": "import os\n" for name in "ab"},
        "ruff.toml": "",
    }
    made = await bench(files, settings=CHECKS)
    (made.root / "packages/b/b.py").write_text("import os\nimport sys\n")

    seen = await TreeEvaluator(made.settings, made.artifacts, made.folders).measure(made.root, "", fast=True)

    assert {each.file for each in seen.findings if each.source == "ruff"} == {"packages/b/b.py"}
    assert seen.evidence_of("ruff").reason == "for packages/b"


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("go_vet", ("go.mod", "tools/go.mod"), ("", "tools")),
        ("go_vet", ("go.mod", "testdata/m/go.mod"), ("",)),
        ("clippy", ("Cargo.toml", "crates/a/Cargo.toml"), ("",)),
        ("clippy", ("x/Cargo.toml", "x/y/Cargo.toml", "z/Cargo.toml"), ("x", "z")),
        ("tsc", ("packages/a/tsconfig.json", "packages/b/tsconfig.json"), ("packages/a",)),
        ("tsc", ("tsconfig.json", "packages/a/tsconfig.json"), ("",)),
        ("eslint", ("packages/a/package.json",), ()),
    ],
)
def test_the_folders_of_a_tool(name: str, files: tuple[str, ...], expected: tuple[str, ...]) -> None:
    scripts = {
        "packages/a/package.json": json.dumps({"scripts": {"types": "tsc -p ."}}),
        "packages/b/package.json": json.dumps({"scripts": {"build": "tsc-alias"}}),
    }

    assert tool_folders(presets()[name], files, scripts) == expected
