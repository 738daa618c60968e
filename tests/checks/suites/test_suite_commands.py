"""The commands of the checks, as an agent gets them that tries edits in a copy."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

from setpoint.checks.suites.suite_commands import suite_commands
from setpoint.checks.survey import Surveyor
from setpoint.model.ids import TraceId
from setpoint.model.suite_command import SCRATCH, SELECTED, TREE, SuiteCommand
from setpoint.ports import WorkCopy
from setpoint.system.git.git import head, tree_of
from setpoint.wiring.project import open_project

WHO = ("-c", "user.name=T", "-c", "user.email=t@localhost")


async def commands_of(root: Path, cache: Path, files: dict[str, str]) -> tuple[SuiteCommand, ...]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (("init", "-q"), ("add", "-A"), (*WHO, "commit", "-qm", "start")):
        await asyncio.to_thread(subprocess.run, ("git", *words), cwd=root, check=True)
    project = await asyncio.to_thread(open_project, root)
    base = await head(root)
    copy = WorkCopy(trace_id=TraceId("t"), path=str(root), base=base, base_tree=await tree_of(root, base))
    seen = await Surveyor(project.settings, project.artifacts, project.folders).look_at(root, copy, base)
    return suite_commands(seen, project.settings.checks, project.artifacts, cache)


async def test_the_projects_own_arguments_are_kept_and_targets_give_way_to_the_chosen(tmp_path) -> None:
    files = {
        "package.json": '{"scripts": {"test": "node --no-warnings --test test/"}}\n',
        "test/a.test.js": "require('node:test').test('a', () => {});\n",
    }
    (found,) = await commands_of(tmp_path / "project", tmp_path / "cache", files)
    assert found.runner == "node_test"
    assert found.every[:2] == ("sh", "-c")
    assert "--no-warnings" in found.every[2]
    assert found.every[2].endswith("test/")
    assert f"'{SELECTED}'" in found.some[2]
    assert not found.some[2].endswith("test/")
    assert found.report == f"{SCRATCH}/report.json"
    assert found.environment["PATH"].startswith(TREE)


async def test_go_is_run_as_a_whole_or_in_part_with_a_copy_of_its_cache(go, tmp_path) -> None:
    files = {
        "go.mod": "module example.com/a\n\ngo 1.19\n",
        "a.go": "package a\n",
        "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
    }
    (found,) = await commands_of(tmp_path / "project", tmp_path / "cache", files)
    assert found.every[-1] == "./..."
    assert found.some[-1] == SELECTED
    assert found.report == ""
    assert found.environment["GOCACHE"] == f"{SCRATCH}/cache"
    assert found.cache == str(tmp_path / "cache" / "go")
