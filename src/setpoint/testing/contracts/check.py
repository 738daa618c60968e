"""What Setpoint expects of every check."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from setpoint.checks.discovery.interpreter import own_interpreter
from setpoint.checks.tools.custom import CustomTool
from setpoint.model.config.custom_check import CustomCheck
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.system.files.artifacts import Artifacts


class CheckContract:
    """What every check does: it finds what is there, finds nothing in a clean tree, and changes nothing."""

    faulty: Mapping[str, str]
    """Files of a tree in which it finds something, by path."""
    clean: Mapping[str, str]
    """Files of a tree in which it finds nothing."""

    def make_check(self) -> CustomCheck:
        """Return the definition, as the entry point does."""
        raise NotImplementedError

    def _measure(self, folder: Path, files: Mapping[str, str]) -> CheckResult:
        tree = folder / "tree"
        for name, text in files.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text, "utf-8")
        copy = WorkCopy(TraceId("contract"), str(tree), Commit("0" * 40), Tree("0" * 40))

        async def measured() -> CheckResult:
            tool = CustomTool(
                name="contract",
                asked=self.make_check(),
                project=await own_interpreter(),
                imports=(),
                artifacts=Artifacts(folder / "artifacts"),
            )
            return await tool.run(Measured(copy, copy.base, copy.base_tree, Stage.TEST))

        return asyncio.run(measured())

    def test_it_finds_what_is_there(self, tmp_path: Path) -> None:
        """Each finding names a file of the tree and says what is wrong."""
        result = self._measure(tmp_path, self.faulty)
        assert result.state is CheckState.FAIL, result.evidence
        assert result.findings
        assert all(finding.file in self.faulty and finding.message for finding in result.findings)

    def test_it_finds_nothing_in_a_clean_tree(self, tmp_path: Path) -> None:
        """A clean tree is a pass, not an error."""
        assert self._measure(tmp_path, self.clean).state is CheckState.PASS

    def test_it_says_the_same_of_the_same_tree(self, tmp_path: Path) -> None:
        """Findings are compared between commits."""
        first, again = (self._measure(tmp_path / name, self.faulty).findings for name in ("one", "two"))
        assert [each.fingerprint for each in first] == [each.fingerprint for each in again]

    def test_it_changes_no_file(self, tmp_path: Path) -> None:
        """The tree is still what the agent committed."""
        self._measure(tmp_path, self.faulty)
        for name, text in self.faulty.items():
            assert (tmp_path / "tree" / name).read_text("utf-8") == text
