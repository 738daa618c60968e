from __future__ import annotations

import sys

import pytest

from setpoint.model.attempt import AttemptLimits, Brief, Role
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import StoryId
from setpoint.model.stories.story import Story
from setpoint_mechanic.repair.codemods import mended_by_tools

TOOL = """\
import pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*.py"):
    path.write_text(path.read_text().replace("== None", "is None").replace("OLD", "NEW"))
"""


@pytest.fixture
def brief(tmp_path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "good.py").write_text("def f(a):\n    return a == None\n")
    (root / "bad.py").write_text("OLD = 1\n")
    (root / "far.py").write_text("def g(a):\n    return a == None\n")
    (root / "test_all.py").write_text(
        "import bad, good\n\n\ndef test_all():\n    assert good.f(None)\n    assert bad.OLD\n"
    )
    (tmp_path / "tool.py").write_text(TOOL)
    findings = tuple(
        Finding(source="ruff", severity=Severity.WARNING, category=Category.STYLE, message="wrong", file=file)
        for file in ("good.py", "bad.py", "test_all.py")
    )
    return Brief(
        role=Role.MAKER,
        session="s1",
        label="implement-1",
        prompt="mend it",
        workdir=str(root),
        python=sys.executable,
        story=Story(id=StoryId("mend"), title="Mend"),
        findings=findings,
        limits=AttemptLimits(wall_s=200.0),
    )


async def test_what_a_tool_changes_is_kept_file_by_file_if_no_test_breaks(brief, tmp_path, toolkit):
    tool = (sys.executable, str(tmp_path / "tool.py"), "{workdir}")
    done = {each.finding.file: each for each in await mended_by_tools(toolkit, brief, [tool], ())}
    assert set(done) == {"good.py", "bad.py"}  # tests are not touched, nor files without findings
    assert done["good.py"].ok
    assert "breaks test_all.py::test_all" in done["bad.py"].note
    work = tmp_path / "work"
    assert (work / "good.py").read_text() == "def f(a):\n    return a is None\n"
    assert (work / "bad.py").read_text() == "OLD = 1\n"
    assert "==" in (work / "far.py").read_text()


async def test_a_tool_that_fails_says_so_and_changes_nothing(brief, tmp_path, toolkit):
    tool = (sys.executable, "-c", "raise SystemExit('not today')")
    (told,) = await mended_by_tools(toolkit, brief, [tool], ())
    assert not told.ok
    assert "not today" in told.note
    assert "==" in (tmp_path / "work" / "good.py").read_text()


async def test_without_findings_no_tool_runs(brief, tmp_path, toolkit):
    bare = brief.model_copy(update={"findings": ()})
    assert await mended_by_tools(toolkit, bare, [("no-such-program",)], ()) == []
