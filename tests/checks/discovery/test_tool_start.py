"""A tool that is there and cannot be started is known from the beginning, with its reason."""

from __future__ import annotations

from pathlib import Path

from setpoint.checks.discovery.tool_start import Starts
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import CheckState
from setpoint.system.processes import Command, run

LINT = {
    "package.json": '{"devDependencies": {"oxlint": "1"}}',
    "a.js": "let a = 1\n",
    ".gitignore": "node_modules\n.setpoint\n",
}


def installed(root: Path, script: str) -> None:
    program = root / "node_modules" / ".bin" / "oxlint"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


async def test_a_tool_that_does_not_start_is_not_measured_from_the_base_on(bench) -> None:
    made = await bench(LINT)
    installed(made.root, 'echo "Error: Cannot find native binding" >&2; echo "at x.js" >&2; exit 1')
    why = "oxlint cannot be used: `oxlint --version` fails: exit code 1: Error: Cannot find native binding"

    survey = await made.survey()
    base = (await made.measure(Stage.BASE)).evidence_of("oxlint")
    await made.change({"a.js": "let a = 2\n"})
    work = (await made.measure(Stage.EVALUATE)).evidence_of("oxlint")

    assert survey.missing["oxlint"] == why
    for evidence in (base, work):
        assert evidence is not None
        assert (evidence.state, evidence.reason) == (
            CheckState.NOT_MEASURED,
            f"{why}, or switch checks.oxlint off",
        )


async def test_a_tool_that_starts_again_is_used_again(bench) -> None:
    made = await bench(LINT)
    installed(made.root, "exit 1")
    before = await made.survey()
    installed(made.root, "echo Version: 1.70.0")
    after = await made.survey()

    assert "oxlint" in before.missing
    assert "oxlint" not in after.missing


async def test_what_has_started_is_remembered_and_what_failed_is_not(tmp_path: Path) -> None:
    file = tmp_path / "starts.json"
    file.write_text("{")  # by a crash
    starts = Starts(file)
    for name, program in (("good", "true"), ("bad", "false")):
        starts.took((name,), await run(Command(argv=(program,), cwd=tmp_path, timeout_s=30)))

    again = Starts(file)

    assert again.knows(("good",))
    assert not again.knows(("bad",))
