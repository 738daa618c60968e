"""Static tools that need not begin from nothing: with a cache of their own, or file by file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from setpoint import __version__
from setpoint.domain.evidence import CheckResult, CheckState
from setpoint.domain.finding import Finding
from setpoint.evaluators import results
from setpoint.evaluators.tool import StaticTool
from setpoint.ports import Measured
from setpoint.store.exclusive import alone
from setpoint.store.files import write_atomic

_KEPT: TypeAdapter[dict[str, tuple[Finding, ...]]] = TypeAdapter(dict[str, tuple[Finding, ...]])
_MOST_KEPT = 20_000


@dataclass(frozen=True, kw_only=True)
class WarmTool:
    """A tool whose own cache all runs of the project share, one at a time."""

    tool: StaticTool
    folder: Path
    """Where the cache lies."""
    scratch: Path
    """Where the tool begins from nothing while somebody else uses the cache."""

    @property
    def name(self) -> str:
        """Name the check."""
        return self.tool.name

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tool with the shared cache, or without it where it is in use."""
        with alone(self.folder) as first:
            cache = self.folder if first else self.scratch / self.folder.name
            return await replace(self.tool, cache=str(cache)).run(measured)


@dataclass(frozen=True, kw_only=True)
class FileByFile:
    """A tool that judges each file by itself: it is pointed at those that it has not seen."""

    tool: StaticTool
    blobs: Mapping[str, str]
    """Id of each file's content."""
    folder: Path
    identity: tuple[str, ...]
    """All that decides what the tool says of a file, but for the file."""

    @property
    def name(self) -> str:
        """Name the check."""
        return self.tool.name

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tool on the files that are new to it, and add what it said of the others."""
        before = self._load()
        known = {target: before[key] for target in self.tool.targets if (key := self._key(target)) in before}
        missing = tuple(target for target in self.tool.targets if target not in known)
        result = await self._fresh(measured, missing)
        if result.state not in (CheckState.PASS, CheckState.FAIL):
            return result
        said = {target: tuple(each for each in result.findings if each.file == target) for target in missing}
        elsewhere = sum(map(len, said.values())) != len(result.findings)
        if not elsewhere:
            self._keep(before, said)
        findings = (*result.findings, *(finding for found in known.values() for finding in found))
        counts = {"findings": len(findings), "files": len(self.tool.targets), "kept": len(known)}
        state = CheckState.FAIL if findings else CheckState.PASS
        held = {"counts": counts, "state": state, "cached": not missing}
        return CheckResult(evidence=result.evidence.model_copy(update=held), findings=findings)

    async def _fresh(self, measured: Measured, missing: tuple[str, ...]) -> CheckResult:
        if missing or not self.tool.targets:
            return await replace(self.tool, targets=missing).run(measured)
        return results.judged(self.name, measured.tree, (), tool=self.tool.version)

    def _key(self, target: str) -> str:
        return f"{self.blobs.get(target, '')} {target}"

    @property
    def _path(self) -> Path:
        text = "\x1f".join((__version__, *self.identity))
        return (
            self.folder / f"{hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:24]}.json"
        )

    def _load(self) -> dict[str, tuple[Finding, ...]]:
        try:
            return _KEPT.validate_json(self._path.read_bytes())
        except (FileNotFoundError, ValidationError):  # never kept, or by a version that wrote it otherwise
            return {}

    def _keep(self, before: dict[str, tuple[Finding, ...]], said: dict[str, tuple[Finding, ...]]) -> None:
        if not said:
            return
        kept = {**before, **{self._key(target): found for target, found in said.items()}}
        newest = dict(list(kept.items())[-_MOST_KEPT:])
        write_atomic(self._path, _KEPT.dump_json(newest).decode(), flush=False)
