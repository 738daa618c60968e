"""What Setpoint expects of every reader of reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.plugged import read_with
from setpoint.checks.formats.report import Sources
from setpoint.model.finding import Finding
from setpoint.plugins import FormatReader


class FormatContract:
    """What every reader does: it finds what a report tells, and never takes half a report for a clean one."""

    reader: FormatReader
    """What the entry point names."""
    report: bytes
    """A report with findings."""
    files: Mapping[str, str]
    """Files of the tree that the report is about, by path."""
    clean: bytes
    """A report without any."""
    broken: bytes
    """Anything else, for example half a report."""

    def _read(self, text: bytes, folder: Path) -> tuple[Finding, ...]:
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content, "utf-8")
        return read_with(type(self).reader, text, Sources(tree=folder), "contract").findings

    def test_it_finds_what_the_report_tells(self, tmp_path: Path) -> None:
        found = self._read(self.report, tmp_path)
        assert found
        for each in found:
            assert each.message
            assert not each.file or each.file in self.files
            assert not each.line or each.text, "the line is not in the file"

    def test_it_finds_nothing_in_a_clean_report(self, tmp_path: Path) -> None:
        assert self._read(self.clean, tmp_path) == ()

    def test_it_finds_the_same_again(self, tmp_path: Path) -> None:
        first, again = (self._read(self.report, tmp_path / name) for name in ("one", "two"))
        assert [each.fingerprint for each in first] == [each.fingerprint for each in again]

    def test_what_is_no_report_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(BadReport, match="ValueError"):
            self._read(self.broken, tmp_path)
