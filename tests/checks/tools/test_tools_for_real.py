"""Every tool of the presets, run for real: findings, clean code, and all the ways in which it can break.

Whatever is wrong, a tool that broke never counts as clean. `make test` installs the tools into `.tools/`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import Interpreter, probe
from setpoint.checks.discovery.program import Program, found_program
from setpoint.checks.tools.tool import Tool
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.model.quality import Metric
from setpoint.ports import Measured, WorkCopy
from setpoint.presets import presets
from setpoint.presets.check_settings import ToolSettings
from setpoint.system.files.artifacts import Artifacts

TOOLS = Path(__file__).resolve().parents[3] / ".tools"
CLEAN = '''"""Clean."""


def add(first: int, second: int) -> int:
    """Add."""
    return first + second


if add(1, 1) == 0:
    raise SystemExit
'''
BAD = """import os, subprocess


def f(a: int, b: int) -> str:
    subprocess.call(a, shell=True)
    password = "AKIAIOSFODNN7EXAMPLE"
    if a: return 1
    if b: return 2
    if a and b or a and a or b and b: return 3
    for x in (a, b):
        while x: x -= 1
        if x or not x: return 4
    return undefined
"""
SYNTAX = "import subprocess\n\n\ndef f(:\n    subprocess.call(a, shell=True)\n"
RULES = """rules:
  - id: no-shell
    languages: [python]
    severity: ERROR
    message: no shell
    pattern: subprocess.call(..., shell=True)
"""


@dataclass(frozen=True)
class Case:
    """What a tool needs to be run, and what it is to find in `BAD`."""

    rule: str
    config: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """Configuration that names something which is not there."""
    bad: dict[str, str] = field(default_factory=lambda: {"a.py": BAD})
    parses: bool = True
    """Whether it has to parse what it looks at."""
    targets: tuple[str, ...] = ("a.py", "b.py")


CASES = {
    "ruff": Case("F401", missing={"ruff.toml": "extend = 'nowhere.toml'\n"}),
    "ruff_format": Case("unformatted", missing={"ruff.toml": "extend = 'nowhere.toml'\n"}),
    "mypy": Case("return-value", missing={"mypy.ini": "[mypy]\nfiles = nowhere.py\n"}),
    "pyright": Case("reportReturnType", missing={"pyrightconfig.json": '{"include": ["nowhere"]}'}),
    "basedpyright": Case(
        "reportReturnType", missing={"pyproject.toml": "[tool.basedpyright]\ninclude = ['nowhere']\n"}
    ),
    "ty": Case("unresolved-reference", missing={"ty.toml": "[src]\ninclude = ['nowhere']\n"}),
    "pyrefly": Case(
        "bad-return",
        config={"pyrefly.toml": "project-includes = ['*.py']\n"},
        missing={"pyrefly.toml": "project-includes = ['nowhere.py']\n"},
    ),
    "bandit": Case("B602", missing={".bandit": "[bandit]\nconfigfile = nowhere.yml\n"}),
    "pylint": Case("W0611", missing={".pylintrc": "[MAIN]\nload-plugins=nowhere\n"}),
    "semgrep": Case(
        "no-shell", config={".semgrep.yml": RULES}, missing={".semgrep.yml": "rules: [nowhere]\n"}
    ),
    "interrogate": Case("no-docstring"),
    "lizard": Case("complexity"),
    "vulture": Case("unused import", missing={"pyproject.toml": "[tool.vulture]\npaths = ['nowhere']\n"}),
    "detect_secrets": Case("AWS Access Key", parses=False),
    "jscpd": Case(
        "duplication", bad={"a.py": BAD * 3, "b.py": BAD * 3}, parses=False, targets=(".",),
        missing={".jscpd.json": '{"path": ["nowhere"]'},
    ),
}  # fmt: skip

FIRST = ("ruff", "mypy", "jscpd")
"""Tools of the first tier: a linter, a tool that reads imports, and one for any language."""
TIERED = [name if name in FIRST else pytest.param(name, marks=pytest.mark.slow) for name in CASES]


@dataclass(frozen=True)
class Kit:
    """The installed tools."""

    project: Interpreter

    async def run(self, name: str, tree: Path, files: dict[str, str], **more: object) -> CheckResult:
        """Run a tool on a tree of its own."""
        preset, case = presets()[name], CASES[name]
        signs = presets()[preset.shares or name].signs
        config = next((file for file in files if file in signs.files), "")
        config = config or next((file for file in files if file == "pyproject.toml"), "")
        for file, text in files.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(text)
        tree.mkdir(exist_ok=True)
        program = more.pop("program", None) or await self.program(name)
        targets = more.pop("targets", tuple(each for each in case.targets if each in (*files, ".")))
        tool = Tool(
            name=name,
            preset=preset,
            program=program,
            project=self.project,
            targets=targets,
            cache=str(tree.parent / f"cache-{tree.name}"),
            artifacts=Artifacts(tree.parent / "artifacts"),
            timeout_s=60,
            config=config,
            parsed=tuple(each for each in targets if each.endswith(".py")) if preset.silent else (),
            **more,
        )
        copy = WorkCopy(trace_id=TraceId("run"), path=str(tree), base=Commit("b"), base_tree=Tree("t"))
        measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.EVALUATE)
        return await tool.run(measured)

    async def program(self, name: str) -> Program:
        """Give the tool's program."""
        found = await found_program(presets()[name], self.project, self.project, TOOLS)
        assert found is not None, f"{name} is not installed; run make test"
        return found


@pytest.fixture(scope="module")
def kit() -> Kit:
    """Find the tools; CI must have them."""
    python = TOOLS / "venv" / "bin" / "python"
    if not (TOOLS / ".installed").is_file() and not os.environ.get("CI"):
        pytest.skip("the tools are not installed: bash tests/checks/tools/install.sh")
    found = asyncio.run(probe(str(python), "the tests' own"))
    assert isinstance(found, Interpreter), found
    return Kit(found)


def needs_node(name: str) -> None:
    if name == "jscpd" and not shutil.which("node") and not os.environ.get("CI"):
        pytest.skip("without Node.js there is no jscpd")


def test_every_tool_that_setpoint_knows_for_python_is_tried() -> None:
    known = {name: preset for name, preset in presets().items() if preset.language in ("python", "any")}
    mine = {name for name, preset in known.items() if preset.program != "sh"}  # the project's own commands

    assert mine == set(CASES)


@pytest.mark.parametrize("name", TIERED)
async def test_what_is_found_and_what_is_not(kit: Kit, tmp_path: Path, name: str) -> None:
    needs_node(name)
    case = CASES[name]
    bad, clean = await asyncio.gather(
        kit.run(name, tmp_path / "bad", {**case.config, **case.bad}),
        kit.run(name, tmp_path / "clean", {**case.config, "a.py": CLEAN}),
    )

    assert (bad.state, clean.state) == (CheckState.FAIL, CheckState.PASS), (bad.evidence, clean.evidence)
    assert case.rule in {finding.rule for finding in bad.findings}
    assert {finding.file for finding in bad.findings} <= set(case.bad)
    assert all(finding.line > 0 and finding.source == name for finding in bad.findings)
    assert clean.findings == ()
    assert bool(bad.duplicated) is (Metric.DUPLICATION in presets()[name].feeds)
    assert bad.evidence.feeds == presets()[name].feeds
    assert bad.evidence.tool.startswith(f"{name} ")


async def test_notes_of_mypy_are_no_findings_and_no_fault(kit: Kit, tmp_path: Path) -> None:
    untyped = await kit.run("mypy", tmp_path / "tree", {"a.py": "def f(a):\n    x: int = 1\n    return x\n"})

    assert (untyped.state, untyped.evidence.exit_code) == (CheckState.PASS, 1)


@pytest.mark.parametrize("name", TIERED)
async def test_a_broken_tool_is_never_clean(kit: Kit, tmp_path: Path, name: str) -> None:
    needs_node(name)
    case = CASES[name]
    pointed = () if presets()[name].targets == "configured" else ("a.py",)
    option = ToolSettings(args=("--no-such-option",))
    silent = replace(await kit.program(name), argv=(sys.executable, "-c", "", "--"))
    syntax, gone, absent, wrong, mute = await asyncio.gather(
        kit.run(name, tmp_path / "syntax", {**case.config, "a.py": SYNTAX, "b.py": CLEAN}),
        kit.run(name, tmp_path / "gone", case.config, targets=("a.py",)),
        kit.run(name, tmp_path / "absent", {**case.config, **case.missing, "a.py": CLEAN}, targets=pointed),
        kit.run(name, tmp_path / "wrong", {**case.config, "a.py": CLEAN}, asked=option),
        kit.run(name, tmp_path / "mute", {**case.config, "a.py": BAD}, program=silent),
    )

    assert not case.parses or syntax.state in (CheckState.FAIL, CheckState.ERROR), syntax.evidence
    assert gone.state is CheckState.ERROR
    assert "no such file" in gone.evidence.reason
    assert not case.missing or absent.state is CheckState.ERROR, absent.evidence
    assert wrong.state is CheckState.ERROR, wrong.evidence
    assert name in wrong.evidence.reason
    # These three print nothing where they find nothing: only their exit code tells.
    assert mute.state is (CheckState.PASS if name in ("mypy", "lizard", "vulture") else CheckState.ERROR)


@pytest.mark.parametrize(
    ("name", "file", "text"),
    [
        ("ruff", "ruff.toml", "lint.ignore = ['ALL']\n"),
        ("ty", "ty.toml", "[rules]\nall = 'ignore'\n"),
        ("pyrefly", "pyrefly.toml", "[errors]\nunknown-name = false\nbad-return = false\n"),
        ("pyright", "pyrightconfig.json", '{"ignore": ["**"]}'),
        ("mypy", "mypy.ini", "[mypy]\nignore_errors = true\n"),
        ("pylint", ".pylintrc", "[MAIN]\ndisable=all\n"),
        ("vulture", "pyproject.toml", "[tool.vulture]\nexclude = ['*']\n"),
    ],
)
async def test_settings_above_the_tree_hide_nothing(
    kit: Kit, tmp_path: Path, name: str, file: str, text: str
) -> None:
    (tmp_path / file).write_text(text)
    (tmp_path / "tree" / ".git").mkdir(parents=True)  # as every measured tree has one

    result = await kit.run(name, tmp_path / "tree", {"a.py": BAD})

    assert result.state is (CheckState.ERROR if name == "pyright" else CheckState.FAIL), result.evidence
