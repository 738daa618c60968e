"""Real tools on findings, clean code, a syntax error, a missing path and a bad option: never a false pass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import own_interpreter
from setpoint.checks.discovery.program import python_program
from setpoint.checks.results import MOST_WORDS
from setpoint.checks.tools.argv import in_chunks
from setpoint.checks.tools.tool import Tool
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.presets import presets
from setpoint.presets.check_settings import ToolSettings
from setpoint.system.files.artifacts import Artifacts

CLEAN = '"""Clean."""\n\nX: int = 1\n'
BAD = "import os, subprocess\n\nX: int = 'a'\nsubprocess.call(X, shell=True)\n"
SYNTAX = "def f(:\n"
TOOLS = ("ruff", "mypy", "bandit")


async def run(name: str, tree: Path, source: str | None, **more):
    tree.mkdir(exist_ok=more.pop("there", False))
    if source is not None:
        (tree / "a.py").write_text(source)
    own = await own_interpreter()
    preset = presets()[name]
    program = python_program(preset, own, own)
    assert program is not None
    tool = Tool(
        name=name,
        preset=preset,
        program=program,
        project=own,
        targets=more.pop("targets", ("a.py",)),
        cache=str(tree.parent / "cache"),
        artifacts=Artifacts(tree.parent / "artifacts"),
        timeout_s=60,
        **more,
    )
    copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
    return await tool.run(Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.EVALUATE))


@pytest.mark.parametrize("name", TOOLS)
async def test_findings_and_clean(tmp_path: Path, name: str) -> None:
    bad = await run(name, tmp_path / "bad", BAD)
    clean = await run(name, tmp_path / "clean", CLEAN)

    assert (bad.state, clean.state) == (CheckState.FAIL, CheckState.PASS)
    assert {finding.file for finding in bad.findings} == {"a.py"}
    assert all(finding.line > 0 and finding.text for finding in bad.findings)
    assert clean.findings == ()
    assert bad.evidence.tool.startswith(f"{name} ")


@pytest.mark.parametrize("name", TOOLS)
async def test_a_file_that_does_not_parse_is_never_a_pass(tmp_path: Path, name: str) -> None:
    result = await run(name, tmp_path / "tree", SYNTAX)

    assert result.state is (CheckState.FAIL if name == "ruff" else CheckState.ERROR)


@pytest.mark.parametrize("name", TOOLS)
async def test_a_missing_path_is_an_error(tmp_path: Path, name: str) -> None:
    result = await run(name, tmp_path / "tree", None)

    assert result.state is CheckState.ERROR
    assert "no such file" in result.evidence.reason


@pytest.mark.parametrize("name", TOOLS)
async def test_a_bad_option_is_an_error(tmp_path: Path, name: str) -> None:
    result = await run(name, tmp_path / "tree", CLEAN, asked=ToolSettings(args=("--no-such-option",)))

    assert result.state is CheckState.ERROR
    assert name in result.evidence.reason


async def test_a_tool_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    own = await own_interpreter()
    found = python_program(presets()["ruff"], own, own)
    assert found is not None
    missing = replace(found, argv=(str(tmp_path / "no-python"), *found.argv[1:]))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text(CLEAN)
    tool = Tool(
        name="ruff",
        preset=presets()["ruff"],
        program=missing,
        project=own,
        targets=("a.py",),
        cache="",
        artifacts=Artifacts(tmp_path / "artifacts"),
        timeout_s=60,
    )
    copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))

    result = await tool.run(Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.BASE))

    assert result.state is CheckState.ERROR
    assert result.evidence.exit_code == 127


async def test_nothing_to_look_at_is_a_pass_that_says_so(tmp_path: Path) -> None:
    result = await run("bandit", tmp_path / "tree", CLEAN, targets=())

    assert result.state is CheckState.PASS
    assert result.evidence.counts == {"findings": 0, "files": 0}


async def test_a_file_named_as_an_option_blinds_no_tool(tmp_path: Path) -> None:
    targets = ("--exclude=*.py", "@a.py", "a.py")
    for name in ("bandit", "ruff"):
        tree = tmp_path / name
        tree.mkdir()
        for each in targets:
            (tree / each).write_text(BAD)
        result = await run(name, tree, BAD, targets=targets, there=True)

        assert result.state is CheckState.FAIL, result.evidence.reason
        assert {finding.file for finding in result.findings} == set(targets)


async def test_files_that_bandit_passes_over_are_an_error(tmp_path: Path) -> None:
    skips = ToolSettings(args=("--exclude=a.py",))
    blind = await run("bandit", tmp_path / "blind", BAD, asked=skips)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "b.py").write_text(CLEAN)
    half = await run("bandit", tmp_path / "half", BAD, asked=skips, targets=("a.py", "b.py"), there=True)

    assert (blind.state, half.state) == (CheckState.ERROR, CheckState.ERROR)
    assert "it passed over a.py" in half.evidence.reason


async def test_more_files_than_a_command_holds_go_in_several(tmp_path: Path) -> None:
    tree, long = tmp_path / "tree", "x" * 200
    tree.mkdir()
    targets = tuple(f"{long}{number:04}.py" for number in range(1000))
    for number, each in enumerate(targets):
        (tree / each).write_text(BAD if number in (0, 999) else "")

    result = await run("bandit", tree, CLEAN, targets=targets, there=True)
    (tree / targets[3]).write_text(SYNTAX)
    broken = await run("bandit", tree, CLEAN, targets=targets, there=True)

    assert result.state is CheckState.FAIL
    assert {finding.file for finding in result.findings} == {targets[0], targets[999]}
    assert result.evidence.counts == {"findings": len(result.findings), "commands": 3}
    assert len(result.evidence.argv) == MOST_WORDS + 1
    assert Artifacts(tmp_path / "artifacts").read(result.evidence.output).count(b'"metrics"') == 3
    assert (broken.state, broken.findings) == (CheckState.ERROR, ())


def test_paths_are_parted_by_their_length() -> None:
    assert [*in_chunks(("aa", "bb", "cc"), 6)] == [("aa", "bb"), ("cc",)]
    assert [*in_chunks(("long", "b"), 2)] == [("long",), ("b",)]
    assert [*in_chunks(())] == []
