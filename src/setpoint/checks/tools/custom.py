"""Tools of the user's own: a command, a format, and no belief in a tool that broke."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.formats import plugged
from setpoint.checks.formats.parsing import MOST_BYTES
from setpoint.checks.tools.outcome import Reading
from setpoint.model.config.custom_check import CustomCheck
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Finding
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, run

_ASKING = frozenset(
    ("pip-audit", "safety", "osv-scanner", "trivy", "grype", "govulncheck", "snyk", "audit-ci", "cargo-audit",
     "cargo-deny", "retire", "dependency-check", "bundler-audit", "bundle-audit")
)  # fmt: skip
"""Programs that compare what is installed with a list of vulnerabilities, which grows from day to day."""
_AUDITS = "audit"
_OF_PACKAGES = frozenset(("npm", "pnpm", "yarn", "bun", "cargo", "composer", "uv"))
"""Programs with such a command."""


@dataclass(frozen=True, kw_only=True)
class CustomTool:
    """One tool that the settings describe."""

    name: str
    asked: CustomCheck
    project: Interpreter
    imports: tuple[str, ...]
    """Folders of the tree from which the project's code is imported."""
    artifacts: Artifacts

    @property
    def identity(self) -> tuple[str, ...]:
        """All that decides what the tool says of a tree, as far as it can be known without a run."""
        program = found_program(self.asked, self.project)
        stamp = Path(program).stat() if program else None
        state = f"{stamp.st_size} {stamp.st_mtime_ns}" if stamp else "missing"
        asked = self.asked.model_dump_json()
        reader = plugged.version_of(self.asked.format)
        return (
            "check",
            self.name,
            asked,
            reader,
            program or "",
            state,
            self.project.fingerprint,
            *self.imports,
        )

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tool on a tree."""
        tree = Path(measured.copy.path)
        if reason := _made_ready(tree, self.asked.report):
            return results.unmeasured(
                self.name, measured.tree, f"{self.name}: {reason}", state=CheckState.ERROR
            )
        done = await run(
            Command(
                argv=argv_of(self.asked, self.project),
                cwd=tree,
                environment=environment(self.project, tree, self.imports),
                timeout_s=self.asked.timeout_s,
                keep_bytes=2 * MOST_BYTES,
            )
        )
        ran = results.Ran(
            check=self.name,
            tree=measured.tree,
            done=done,
            artifacts=self.artifacts,
            tool=self.asked.command[0],
        )
        return await self._reading(tree).result(ran, measured)

    def _reading(self, tree: Path) -> Reading:
        return Reading(
            name=self.name,
            format=self.asked.format,
            clean=self.asked.clean_exit,
            found=self.asked.findings_exit,
            report=tree / self.asked.report if self.asked.report else None,
            shown=self.asked.report,
            within=tree,
            named=self._named,
            category=self.asked.category,
            feeds=self.asked.measures,
        )

    def _named(self, finding: Finding) -> Finding:
        category = self.asked.category or finding.category
        return finding.model_copy(update={"source": self.name, "category": category})


def lasting(asked: CustomCheck) -> bool:
    """Whether what a tool says of a tree holds as long as tree and tool do; not where it asks others."""
    if asked.kept is not None:
        return asked.kept
    words = {PurePath(word).name.replace("_", "-") for word in asked.command}
    return not words & _ASKING and not (_AUDITS in words and words & _OF_PACKAGES)


def argv_of(asked: CustomCheck, project: Interpreter) -> tuple[str, ...]:
    """Return the command as it is started."""
    return tuple(word.replace("{python}", project.path) for word in asked.command)


def found_program(asked: CustomCheck, project: Interpreter) -> str | None:
    """Find the program on the project's PATH; none where it is not there, or lies in the tree."""
    path = environment(project, Path("/"), ())["PATH"]
    name = argv_of(asked, project)[0]
    return shutil.which(name, path=path) if "/" not in name or name.startswith("/") else None


def reasons(asked: Mapping[str, CustomCheck], project: Interpreter) -> dict[str, str]:
    """Return each tool with the reason that `setpoint doctor` shows."""
    told = {}
    for name, each in asked.items():
        program = each.command[0]
        known = "/" in program or found_program(each, project) is not None
        missing = "" if known else f"; {program!r} is not on the project's PATH, so the check will break"
        told[name] = f"setting check.{name}: {' '.join(each.command)} ({each.format}){missing}"
    return told


def _made_ready(tree: Path, report: str) -> str:
    """Remove an older report, as its origin is unknown; return why that fails."""
    if not report:
        return ""
    place = tree / report
    try:
        if not place.parent.resolve().is_relative_to(tree.resolve()):
            return f"{report} lies behind a link that leads out of the tree"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        return f"{report} cannot be written: {error}"
    return ""
