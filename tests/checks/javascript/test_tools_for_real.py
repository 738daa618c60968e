"""Tools of other languages on findings, clean code, a syntax error, a missing path, a bad option."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import own_interpreter
from setpoint.checks.discovery.program import found_program
from setpoint.checks.tools.tool import Tool
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Severity
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.presets import presets
from setpoint.presets.check_settings import ToolSettings
from setpoint.system.files.artifacts import Artifacts

TOOLS = Path(__file__).resolve().parents[3] / ".tools" / "javascript" / "node_modules"
ESLINT = """import parser from "@typescript-eslint/parser";
const rules = { "no-var": "error", "no-debugger": "error" };
export default [{ files: ["**/*.js", "**/*.ts"], languageOptions: { parser }, rules }];
"""
TSCONFIG = '{"compilerOptions": {"strict": true, "module": "esnext", "types": []}, "include": ["src"]}\n'
GO_MOD = "module example.com/calc\n\ngo 1.19\n"
CARGO = '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2018"\n'


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One tool, and the code on which it is tried."""

    name: str
    file: str
    bad: str
    rule: str
    clean: str
    broken: str = "export const (\n"
    missing: tuple[str, ...] = ("src/missing.js",)
    """Arguments that name something that is not there."""
    config: dict[str, str] = field(default_factory=dict)
    fixed: bool = False


SUBJECTS = (
    Subject(
        name="eslint",
        file="src/a.js",
        bad="var x = 1;\nexport { x };\n",
        rule="no-var",
        clean="export const x = 1;\n",
        config={"eslint.config.mjs": ESLINT},
        fixed=True,
    ),
    Subject(
        name="tsc",
        file="src/a.ts",
        bad='export const x: number = "a";\n',
        rule="TS2322",
        clean="export const x: number = 1;\n",
        missing=("--project", "missing.json"),
        config={"tsconfig.json": TSCONFIG},
    ),
    Subject(
        name="biome",
        file="src/a.js",
        bad="debugger;\n",
        rule="lint/suspicious/noDebugger",
        clean="export const x = 1;\n",
        config={"biome.json": "{}\n"},
    ),
    Subject(
        name="oxlint",
        file="src/a.js",
        bad="debugger;\n",
        rule="eslint(no-debugger)",
        clean="export const x = 1;\n",
        missing=("--config=missing.json",),
        config={".oxlintrc.json": "{}\n"},
    ),
    Subject(
        name="go_vet",
        file="a.go",
        bad='package calc\n\nimport "fmt"\n\nfunc F() { fmt.Printf("%d", "x") }\n',
        rule="printf",
        clean="package calc\n\nfunc F() int { return 1 }\n",
        broken="package calc\n\nfunc F( {\n",
        missing=("./missing",),
        config={"go.mod": GO_MOD},
    ),
    Subject(
        name="clippy",
        file="src/lib.rs",
        bad="pub fn f() -> i32 {\n    let x = 1;\n    2\n}\n",
        rule="unused_variables",
        clean="pub fn f() -> i32 {\n    1\n}\n",
        broken="pub fn f( {\n",
        missing=("--manifest-path=missing/Cargo.toml",),
        config={"Cargo.toml": CARGO},
        fixed=True,
    ),
)

FIRST = ("eslint", "go_vet")
"""Tools of the first tier: one for each way in which a language finds its packages."""
TIERED = [
    pytest.param(each, id=each.name, marks=() if each.name in FIRST else pytest.mark.slow)
    for each in SUBJECTS
]


def demanded(name: str) -> None:
    program = {"go_vet": "go", "clippy": "cargo"}.get(name, "node")
    argv = {"go": ("go", "version"), "cargo": ("cargo", "clippy", "--version")}.get(program, ("node", "-v"))
    there = shutil.which(program) is not None and (program != "node" or TOOLS.is_dir())
    there = there and subprocess.run(argv, capture_output=True, check=False).returncode == 0
    if not there and os.environ.get("CI") and program != "cargo":
        pytest.fail(f"{program} or what it needs is not installed")
    if not there:
        pytest.skip(f"{program} or what it needs is not installed; `make test` installs what it can")


async def run(subject: Subject, folder: Path, source: str | None, *args: str) -> CheckResult:
    demanded(subject.name)
    tree = folder / "tree"
    for path, text in {**subject.config, **({} if source is None else {subject.file: source})}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    (tree / "node_modules").symlink_to(TOOLS)
    own, preset = await own_interpreter(), presets()[subject.name]
    program = await found_program(preset, own, own, tree)
    assert program is not None
    assert program.version
    tool = Tool(
        name=subject.name,
        preset=preset,
        program=program,
        project=own,
        targets=(".",) if preset.targets == "tree" else (),
        cache=str(folder / "cache"),
        artifacts=Artifacts(folder / "artifacts"),
        timeout_s=100,
        config=next(iter(subject.config)),
        asked=ToolSettings(args=args),
    )
    copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
    return await tool.run(Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.EVALUATE))


@pytest.mark.parametrize("subject", TIERED)
async def test_findings_have_their_place_and_rule(tmp_path: Path, subject: Subject) -> None:
    result = await run(subject, tmp_path, subject.bad)

    assert result.state is CheckState.FAIL, result.evidence.reason
    found = [each for each in result.findings if each.rule == subject.rule]
    assert [(each.file, each.source) for each in found] == [(subject.file, subject.name)]
    assert found[0].line > 0
    assert found[0].text
    assert not subject.fixed or found[0].fix is not None


@pytest.mark.parametrize("subject", TIERED)
async def test_clean_code_passes(tmp_path: Path, subject: Subject) -> None:
    result = await run(subject, tmp_path, subject.clean)

    assert (result.state, result.evidence.reason, result.findings) == (CheckState.PASS, "", ())


@pytest.mark.parametrize("subject", TIERED)
async def test_a_syntax_error_is_never_clean(tmp_path: Path, subject: Subject) -> None:
    result = await run(subject, tmp_path, subject.broken)

    assert result.state in (CheckState.FAIL, CheckState.ERROR)
    blocking = [each for each in result.findings if each.severity in (Severity.ERROR, Severity.CRITICAL)]
    assert result.state is CheckState.ERROR or {each.file for each in blocking} == {subject.file}


@pytest.mark.parametrize("subject", TIERED)
async def test_a_missing_path_and_a_bad_option_are_errors(tmp_path: Path, subject: Subject) -> None:
    for number, args in enumerate((subject.missing, ("--such-an-option-is-not",))):
        result = await run(subject, tmp_path / str(number), subject.clean, *args)

        assert result.state is CheckState.ERROR, args
        assert result.evidence.reason


async def test_tsc_without_a_file_is_not_clean(tmp_path: Path) -> None:
    tsc = next(each for each in SUBJECTS if each.name == "tsc")
    nothing = {"tsconfig.json": '{"files": [], "references": [{"path": "./src"}]}\n'}
    solution = Subject(**{**tsc.__dict__, "config": {**nothing, "src/tsconfig.json": TSCONFIG}})

    result = await run(solution, tmp_path, tsc.bad)

    assert result.state is CheckState.ERROR
    assert "is empty" in result.evidence.reason or "no file" in result.evidence.reason
