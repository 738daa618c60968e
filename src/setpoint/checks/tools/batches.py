"""One tool in several commands, as a command holds only so many paths."""

from __future__ import annotations

from setpoint.model.evidence import CheckResult, CheckState
from setpoint.system.files.artifacts import Artifacts


def joined(parts: tuple[CheckResult, ...], artifacts: Artifacts) -> CheckResult:
    """Make one result of those of all commands: broken where one broke, else with the findings of all."""
    findings = tuple(finding for part in parts for finding in part.findings)
    broken = [part for part in parts if part.state is CheckState.ERROR]
    shown = (broken or [part for part in parts if part.findings] or list(parts))[0].evidence
    state = CheckState.ERROR if broken else CheckState.FAIL if findings else CheckState.PASS
    counts: dict[str, int] = {}
    for part in parts:
        for name, count in part.evidence.counts.items():
            counts[name] = counts.get(name, 0) + count
    held = {
        "state": state,
        "started_at": parts[0].evidence.started_at,
        "duration_s": sum(part.evidence.duration_s for part in parts),
        "counts": {**counts, "commands": len(parts)},
        "output": _output(parts, artifacts),
    }
    return CheckResult(evidence=shown.model_copy(update=held), findings=() if broken else findings)


def _output(parts: tuple[CheckResult, ...], artifacts: Artifacts) -> str | None:
    """Keep what all commands printed as one."""
    kept = [part.evidence.output for part in parts if part.evidence.output is not None]
    texts = [artifacts.read(output) for output in kept]
    return artifacts.keep(b"\n--- the next command ---\n".join(texts)) if texts else None
