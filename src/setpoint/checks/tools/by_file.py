"""Checks that look at each file by itself: what they said of a file holds as long as the file is the same."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint.checks.tools.parse import Parse
from setpoint.checks.tools.tool import Tool
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Finding
from setpoint.model.value import writable
from setpoint.ports import Measured
from setpoint.system.files.atomic import write_atomic
from setpoint.version import __version__

_BY_FILE: TypeAdapter[dict[str, tuple[Finding, ...]]] = TypeAdapter(dict[str, tuple[Finding, ...]])


@dataclass(frozen=True, kw_only=True)
class ByFile:
    """A check whose findings are kept file by file; where `take` is set, only other files are looked at.

    Nothing is kept of a run that broke, nor where a finding belongs to none of the files.
    """

    check: Parse | Tool
    files: Mapping[str, str]
    """Every file of the tree, with the id of its content."""
    folder: Path
    """Where the findings are kept."""
    decides: tuple[str, ...]
    """All that decides what the check says of a file, beside the file itself."""
    take: bool

    @property
    def name(self) -> str:
        """Name the check."""
        return self.check.name

    async def run(self, measured: Measured) -> CheckResult:
        """Look at the files of which nothing is known, and report all."""
        known = await asyncio.to_thread(self._known) if self.take else {}
        held = {file: known[key] for file in self.check.targets if (key := self._key(file)) in known}
        left = tuple(file for file in self.check.targets if file not in held)
        result = await replace(self.check, targets=left).run(measured)
        if result.state not in (CheckState.PASS, CheckState.FAIL):
            return result
        looked: dict[str, tuple[Finding, ...]] = dict.fromkeys(left, ())
        for finding in result.findings:
            if finding.file not in looked:
                return result if not held else await self.check.run(measured)
            looked[finding.file] += (finding,)
        if left:
            every = held | looked
            await asyncio.to_thread(self._keep, {self._key(file): every[file] for file in every})
        return _together(result, held) if held else result

    def _key(self, file: str) -> str:
        return writable(f"{self.files[file]} {file}")

    @property
    def _path(self) -> Path:
        parts = "\x1f".join((__version__, self.name, *self.decides))
        return self.folder / f"{hashlib.sha256(parts.encode('utf-8', 'surrogateescape')).hexdigest()}.json"

    def _known(self) -> dict[str, tuple[Finding, ...]]:
        try:
            return _BY_FILE.validate_json(self._path.read_bytes())
        except (FileNotFoundError, ValidationError):  # never kept, or by a version that wrote it otherwise
            return {}

    def _keep(self, findings: dict[str, tuple[Finding, ...]]) -> None:
        """Keep what holds for this tree; of files as they were before, nothing is needed."""
        write_atomic(self._path, _BY_FILE.dump_json(findings).decode(), flush=False)


def _together(result: CheckResult, held: Mapping[str, tuple[Finding, ...]]) -> CheckResult:
    """Add the findings of the files that did not change, and say of how many files they are."""
    findings = (*result.findings, *(finding for each in held.values() for finding in each))
    evidence = result.evidence
    counts = {**evidence.counts, "findings": len(findings), "files_unchanged": len(held)}
    state = CheckState.FAIL if findings else CheckState.PASS
    evidence = evidence.model_copy(update={"state": state, "counts": counts})
    return result.model_copy(update={"evidence": evidence, "findings": findings})
