"""The presets hold together, and what settings and project say of a tool reaches it."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import Interpreter, own_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.discovery.program import Program, found_program
from setpoint.checks.tools.tool import Tool
from setpoint.model.config.custom_check import ReportFormat
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import FORMATTERS, CheckState
from setpoint.model.finding import Severity
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.presets import Preset, Signs, Via, presets
from setpoint.presets.check_settings import ChecksSettings, ToolSettings
from setpoint.system.files.artifacts import Artifacts

CODE = """
import json, os, sys
place = {"path": "a.py", "lines": {"begin": 1}}
told = {"X1": os.environ["PATH"], "Y22": str(sys.argv)}
told = [{"check_name": r, "description": d, "severity": "minor", "location": place} for r, d in told.items()]
json.dump(told, sys.stdout)
"""
PRESET = Preset(
    title="t", language="any", via=Via.PATH, program="tool", argv=("--to={report}", "{config}"), globs=("*",),
    format=ReportFormat.GITLAB, clean=(), found=(0,), unconfigured=("--alone",),
    configured={".toml": ("--toml",), "": ("--ini",)},
)  # fmt: skip


async def run(tree: Path, preset: Preset = PRESET, **more: object):
    (tree / "a.py").write_text("x\n")
    own = await own_interpreter()
    program = Program(argv=(sys.executable, "-c", CODE), version="7", place="here", identity=("7",))
    tool = Tool(
        name="tool", preset=preset, program=program, project=replace(own, path="/nowhere/bin/python"),
        targets=("a.py",), cache="", artifacts=Artifacts(tree.parent / "artifacts"), timeout_s=60, **more,
    )  # fmt: skip
    copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
    measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.EVALUATE)
    return await tool.run(measured), tool


@pytest.mark.parametrize("name", presets())
def test_a_preset_holds_together(name: str) -> None:
    preset = presets()[name]

    assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
    assert not set(preset.clean) & set(preset.found)
    assert preset.title
    assert preset.globs
    assert bool(preset.report) is any("{report}" in word or "{scratch}" in word for word in preset.argv)


async def test_arguments_of_preset_project_and_settings(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    asked = ToolSettings(args=("--more",))
    alone, _ = await run(tmp_path / "t", asked=asked)
    toml, _ = await run(tmp_path / "t", config="tool.toml")
    ini, _ = await run(tmp_path / "t", config="tool.cfg")

    assert alone.evidence.argv[4:] == ("", "--alone", "--more", "a.py")
    assert toml.evidence.argv[4:] == ("tool.toml", "--toml", "a.py")
    assert ini.evidence.argv[4:] == ("tool.cfg", "--ini", "a.py")
    assert alone.evidence.tool == "tool 7"


async def test_our_environment_is_not_on_the_path_of_a_tool(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    result, _ = await run(tmp_path / "t")

    path = result.findings[0].message.split(":")
    assert path[0] == "/nowhere/bin"
    assert sys.prefix == sys.base_prefix or str(Path(sys.executable).parent) not in path


@pytest.mark.parametrize(
    ("file", "text", "obeyed"),
    [
        ("tool.json", "{}", True),
        ("pyproject.toml", "[tool.tool]\n", True),
        ("pyproject.toml", "[tool.x]\n", False),
    ],
)
async def test_settings_of_the_users_own_tree_are_not_obeyed(
    tmp_path: Path, file: str, text: str, obeyed: bool
) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / file).write_text(text)
    signs = Signs(files=("tool.json",), tables=("tool",))
    preset = PRESET.model_copy(update={"climbs": True, "signs": signs})

    alone, _ = await run(tmp_path / "t", preset)
    configured, _ = await run(tmp_path / "t", preset, config="tool.json")

    assert alone.state is (CheckState.ERROR if obeyed else CheckState.FAIL)
    assert (str(tmp_path / file) in alone.evidence.reason) is obeyed
    assert configured.state is CheckState.FAIL


async def test_severities_of_settings_go_before_those_of_the_preset(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    preset = PRESET.model_copy(update={"severity": {"Y": Severity.ERROR, "X": Severity.CRITICAL}})
    asked = ToolSettings(severity={"X": Severity.WARNING, "X1": Severity.INFO})

    result, tool = await run(tmp_path / "t", preset, asked=asked)

    assert [(each.rule, each.severity) for each in result.findings] == [("X1", "info"), ("Y22", "error")]
    assert {each.source for each in result.findings} == {"tool"}
    assert tool.identity != replace(tool, asked=ToolSettings()).identity


async def test_what_the_settings_say_of_a_tool_decides_its_time(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    result, _ = await run(tmp_path / "t", asked=ToolSettings(timeout_s=0.001))

    assert result.state is CheckState.ERROR


async def test_where_programs_are_looked_for(tmp_path: Path) -> None:
    own = await own_interpreter()
    bare = replace(own, path=str(tmp_path / "bin" / "python"), modules={})
    for place in ("node_modules/.bin", "bin"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "tool").write_text(f"#!/bin/sh\necho {place} $@\n")
        (tmp_path / place / "tool").chmod(0o755)

    async def found(via: Via, project: Interpreter = bare) -> Program | None:
        return await found_program(PRESET.model_copy(update={"via": via}), project, own, tmp_path)

    node, path = await found(Via.NODE), await found(Via.PATH)
    held = await found(Via.SCRIPT, replace(bare, modules={"tool": "1.2"}))
    assert node is not None
    assert node.version == "node_modules/.bin --version"
    assert path is not None
    assert path.argv == (str(tmp_path / "bin" / "tool"),)
    assert held is not None
    assert (held.argv, held.version) == ((str(tmp_path / "bin" / "tool"),), "1.2")
    assert await found(Via.MODULE) is None
    (tmp_path / "node_modules" / ".bin" / "tool").unlink()
    assert await found(Via.NODE) is None


def test_settings_take_every_tool_by_name() -> None:
    checks = ChecksSettings.model_validate({"ruff": False, "ty": {"args": ["-v"]}, "mypy": "auto"})

    assert (checks.tool("ruff").use, checks.tool("ty").args, checks.tool("mypy").use) == (
        False,
        ("-v",),
        "auto",
    )
    assert checks.tool("bandit") == ToolSettings()
    assert json.loads(checks.model_dump_json())["ruff"]["use"] is False


@pytest.mark.parametrize(
    ("name", "version", "argument"),
    [
        ("oxlint", "Version: 1.58.0", "--format=gitlab"),
        ("oxlint", "Version: 1.63.0", "--format=sarif"),
        ("oxlint", "", "--format=sarif"),
        ("biome", "Version: 2.1.4", "--reporter=gitlab"),
        ("biome", "Version: 2.10.0", "--reporter=sarif"),
        ("eslint", "v9.1.0", "--format=json"),
    ],
)
def test_a_tool_is_called_as_its_version_understands(name: str, version: str, argument: str) -> None:
    assert argument in presets()[name].for_version(version).argv


@pytest.mark.parametrize(
    ("version", "word"),
    [
        ("golangci-lint has version 2.1.6 built with go1.24", "--output.checkstyle.path=stdout"),
        ("golangci-lint has version v1.64.8 built with go1.24", "--out-format=checkstyle"),
    ],
)
def test_golangci_lint_is_called_as_its_version_wants(version: str, word: str) -> None:
    assert word in presets()["golangci_lint"].for_version(version).argv


@pytest.mark.parametrize(
    ("files", "texts", "tool"),
    [
        ((".golangci.yml",), {}, "golangci_lint"),
        (("Makefile",), {"Makefile": "lint:\n\tstaticcheck ./...\n"}, "staticcheck"),
        (("Makefile",), {"Makefile": "audit:\n\tgovulncheck ./...\n"}, "govulncheck"),
        ((".oxfmtrc.json",), {}, "oxfmt"),
        (("package.json",), {"package.json": '{"scripts": {"lint": "xo"}}'}, "xo"),
    ],
)
def test_tools_are_used_where_the_project_names_them(
    files: tuple[str, ...], texts: dict[str, str], tool: str
) -> None:
    held = {**dict.fromkeys(files, ""), **texts}

    assert tool in read_layout(files, held).used
    assert tool not in read_layout(("go.mod", "a.go", "a.js"), {"go.mod": "module m"}).used


def test_every_formatter_is_known_as_one():
    assert {name for name, each in presets().items() if each.title.startswith("formatting")} == FORMATTERS
