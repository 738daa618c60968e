"""Whether the tree's Python files parse, asked of the project's own interpreter; the build gate."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.model.evidence import CheckResult, CheckState
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, run
from setpoint_probe.plugin import PARSE


class _Problem(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    file: str
    line: int
    message: str
    text: str


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    parsed: int
    errors: tuple[_Problem, ...]


@dataclass(frozen=True, kw_only=True)
class Parse:
    """Parses Python files without running them."""

    interpreter: Interpreter
    targets: tuple[str, ...]
    artifacts: Artifacts
    timeout_s: float
    name: str = field(default="parse", init=False)

    async def run(self, measured: Measured) -> CheckResult:
        """Parse the targets; a syntax error is a finding that blocks."""
        tree = Path(measured.copy.path)
        done = await run(
            Command(
                argv=(self.interpreter.path, "-I", str(PARSE)),
                cwd=tree,
                environment=environment(self.interpreter, tree, ()),
                timeout_s=self.timeout_s,
                stdin=json.dumps(self.targets).encode(),
                keep_bytes=16 << 20,
            )
        )
        tool = f"Python {self.interpreter.version}"
        try:
            answer = _Answer.model_validate_json(done.stdout) if done.ok else None
        except ValidationError:
            answer = None
        ran = results.Ran(check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool=tool)
        if answer is None:
            return ran.gave(CheckState.ERROR, f"the parser did not answer: {done.ending}{results.tail(done)}")
        findings = tuple(_finding(problem) for problem in answer.errors)
        state = CheckState.FAIL if findings else CheckState.PASS
        counts = {"findings": len(findings), "files": len(self.targets)}
        return ran.gave(state, findings=findings, counts=counts)


def _finding(problem: _Problem) -> Finding:
    return Finding(
        source="parse",
        rule="syntax",
        severity=Severity.CRITICAL,
        category=Category.CORRECTNESS,
        message=problem.message,
        file=problem.file,
        line=problem.line,
        text=problem.text,
    )
