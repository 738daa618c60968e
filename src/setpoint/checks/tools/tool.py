"""Running a tool of the presets and telling apart: clean, findings, broken, nothing to look at."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.discovery.program import Program
from setpoint.checks.discovery.workspaces import WITHOUT_WORK
from setpoint.checks.formats.parsing import MOST_BYTES
from setpoint.checks.tools.argv import as_word, in_chunks
from setpoint.checks.tools.batches import joined
from setpoint.checks.tools.outcome import Reading
from setpoint.checks.tools.parse import Parse
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Measured
from setpoint.presets import Preset
from setpoint.presets.check_settings import ToolSettings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, run


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool, pointed at its targets."""

    name: str
    preset: Preset
    program: Program
    project: Interpreter
    targets: tuple[str, ...]
    """Paths from the root of the tree; empty where there is nothing to look at or it knows by itself."""
    cache: str
    """Folder of the tool's own cache."""
    artifacts: Artifacts
    timeout_s: float
    asked: ToolSettings = field(default_factory=ToolSettings)
    """What the settings say of it."""
    config: str = ""
    """The project's file that configures it, from the root of the tree; empty where there is none."""
    nested: bool = False
    """Whether files below the root configure it."""
    types_block: bool = True
    """Whether type errors block."""
    search: tuple[str, ...] = ()
    """Folders of the tree where a type checker finds the project's code."""
    advice: bool = False
    """Whether its findings never block: the project does not use it itself."""
    parsed: tuple[str, ...] = ()
    """Python files among its targets, where it says nothing of those that it cannot parse."""
    folders: tuple[str, ...] = ("",)
    """The packages it runs in, one after the other; empty text for the root."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Options with which the project's own people call it, by folder."""
    unused: frozenset[str] = frozenset()
    """Folders of modules that the `go.work` above them leaves out."""
    part: str = ""
    """The packages it is narrowed to, in words; empty where it looks at everything."""

    @property
    def identity(self) -> tuple[str, ...]:
        """All that decides what the tool says of a tree."""
        asked = self.asked.model_dump_json()
        block = f"{self.types_block} {self.advice}"
        said = (*self._argv(""), "in", *self.folders, self.part, str(sorted(self.options.items())))
        said = (*said, *sorted(self.unused))
        return (self.name, *self.program.identity, self.project.fingerprint, asked, block, *said)

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tool on a tree."""
        result = await self._run(measured)
        if not self.part or result.evidence.reason:
            return result
        evidence = result.evidence.model_copy(update={"reason": f"for {self.part}"})
        return result.model_copy(update={"evidence": evidence})

    async def _run(self, measured: Measured) -> CheckResult:
        tree = Path(measured.copy.path)
        if missing := [target for target in self.targets if not (tree / target).exists()]:
            reason = f"{self.name}: no such file in the tree: {', '.join(missing[:5])}"
            feeds = self.preset.feeds
            return results.unmeasured(self.name, measured.tree, reason, state=CheckState.ERROR, feeds=feeds)
        if above := self._settings_above(tree):
            reason = f"{self.name} would obey {above}, which is outside the tree; configure it in the project"
            feeds = self.preset.feeds
            return results.unmeasured(self.name, measured.tree, reason, state=CheckState.ERROR, feeds=feeds)
        if not self.targets and self.preset.targets == "changed":
            return self._nothing(measured)
        parts = tuple(in_chunks(self.targets)) if self.preset.targets == "changed" else ()
        if len(parts) > 1:
            return joined(tuple([await self._part(part).run(measured) for part in parts]), self.artifacts)
        if len(self.folders) > 1:
            each = [await replace(self, folders=(folder,)).run(measured) for folder in self.folders]
            return joined(tuple(each), self.artifacts)
        doubt = await self._unparsed(measured)
        with tempfile.TemporaryDirectory(prefix="setpoint-") as folder:
            command = Command(
                argv=self._argv(folder, str(tree)),
                cwd=tree / self.folders[0],
                environment=self._environment(tree),
                timeout_s=self.asked.timeout_s or self.timeout_s,
                keep_bytes=2 * MOST_BYTES,
                merge_stderr=self.preset.merged,
                writes=(Path(folder), *([Path(self.cache)] if self.preset.caches else ())),
                lasting=Path(self.cache) if self.preset.caches else None,
            )
            done = await run(command)
            ran = results.Ran(
                check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool=self._version
            )
            return await self._reading(Path(folder)).result(ran, measured, doubt)

    def _part(self, targets: tuple[str, ...]) -> Tool:
        """Point the tool at some of its targets."""
        held = set(targets)
        return replace(self, targets=targets, parsed=tuple(file for file in self.parsed if file in held))

    def _settings_above(self, tree: Path) -> Path | None:
        """Find settings outside the tree that the tool would take, as the project has none for it."""
        if self.config or not (self.preset.climbs or self.nested):
            return None
        signs = self.preset.signs
        for folder in tree.resolve().parents:
            if own := next((folder / name for name in signs.files if (folder / name).is_file()), None):
                return own
            shared = folder / "pyproject.toml"
            if shared.is_file():
                text = shared.read_text("utf-8", "replace")
                if any(f"[tool.{table}" in text for table in signs.tables):
                    return shared
        return None

    def _nothing(self, measured: Measured) -> CheckResult:
        result = results.judged(self.name, measured.tree, (), tool=self._version, counts={"files": 0})
        evidence = result.evidence.model_copy(update={"feeds": self.preset.feeds})
        return result.model_copy(update={"evidence": evidence})

    def _reading(self, scratch: Path) -> Reading:
        return Reading(
            name=self.name,
            format=self.preset.format,
            clean=self.preset.clean,
            found=self.preset.found,
            report=scratch / self.preset.report if self.preset.report else None,
            shown=self.preset.report,
            named=self._weighed,
            category=self.preset.category,
            feeds=self.preset.feeds,
            # Its own settings may leave files out; without settings, nothing may.
            wanted=self.targets if self.preset.targets == "changed" and not self.config else (),
            idle=self.preset.idle,
            folder=self.folders[0],
        )

    def _argv(self, scratch: str, tree: str = "") -> tuple[str, ...]:
        names = {
            "{python}": self.project.path,
            "{cache}": self.cache,
            "{scratch}": scratch,
            "{report}": f"{scratch}/{self.preset.report}",
            "{config}": self.config,
            "{tree}": tree,
            "{package}": self.folders[0].replace("/", "-") or "root",
        }
        own = self.options.get(self.folders[0], ())
        words = (*self.preset.argv, *own, *self._options, *self.asked.args)
        return (*self.program.argv, *(_filled(word, names) for word in words), *map(as_word, self.targets))

    @property
    def _options(self) -> tuple[str, ...]:
        if not self.config:
            return () if self.nested else self.preset.unconfigured
        named = self.preset.configured
        return next((args for ending, args in named.items() if self.config.endswith(ending)), ())

    @property
    def _version(self) -> str:
        said = self.program.version
        return said if said.startswith(self.name) else f"{self.name} {said}".strip()

    def _environment(self, tree: Path) -> dict[str, str]:
        variables = environment(self.project, tree, ())
        variables["MYPYPATH"] = ":".join(str(tree / folder) for folder in self.search if folder)
        names = {"{cache}": self.cache}
        variables |= {name: _filled(text, names) for name, text in self.preset.environment.items()}
        if self.preset.language == "go" and self.folders[0] in self.unused:
            variables |= WITHOUT_WORK
        return {name: value for name, value in variables.items() if value}

    async def _unparsed(self, measured: Measured) -> str:
        """Name the files that the tool would pass over without a word."""
        if not self.parsed:
            return ""
        check = Parse(
            interpreter=self.project,
            targets=self.parsed,
            artifacts=self.artifacts,
            timeout_s=self.timeout_s,
        )
        result = await check.run(measured)
        if result.state is CheckState.ERROR:
            return f"whether {self.name} could read the files is not known: {result.evidence.reason}"
        files = sorted({f"{each.file}: {each.message}" for each in result.findings})
        return f"{self.name} could not look at everything: {'; '.join(files[:3])}" if files else ""

    def _weighed(self, finding: Finding) -> Finding:
        """Return a finding the name, category and severity that preset and settings say."""
        category = self.preset.category or finding.category
        severity = _severity(finding.rule, self.asked.severity) or _severity(
            finding.rule, self.preset.severity
        )
        if severity is None:
            blocks = category is not Category.TYPES or self.types_block
            severity = finding.severity if blocks else min(finding.severity, Severity.WARNING, key=_rank)
        if self.advice:  # the worst stay first
            severity = Severity.WARNING if severity.rank >= Severity.ERROR.rank else Severity.INFO
        return finding.model_copy(update={"source": self.name, "category": category, "severity": severity})


def _severity(rule: str, named: Mapping[str, Severity]) -> Severity | None:
    """Return the severity of the longest beginning of a rule that is named."""
    fitting = [beginning for beginning in named if rule.startswith(beginning)]
    return named[max(fitting, key=len)] if fitting else None


def _rank(severity: Severity) -> int:
    return severity.rank


def _filled(word: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        word = word.replace(name, value)
    return word
