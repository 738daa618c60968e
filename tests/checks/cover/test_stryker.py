"""What Stryker 9.6 reported of a real run, read; and its packages lent to a copy of a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from setpoint.checks.cover.stryker import StrykerRun, lend, read_report
from setpoint.checks.formats.bad_report import BadReport
from setpoint.model.mutation import Fate

SOURCE = 'export function sign(v: number) {\n  if (v < 0) {\n    return "minus";\n  }\n  return "plus";\n}\n'


def mutant(status: str, start: tuple[int, int], end: tuple[int, int], replacement: str, **more: object):
    places = {
        "start": dict(zip(("line", "column"), start, strict=True)),
        "end": dict(zip(("line", "column"), end, strict=True)),
    }
    return {
        "id": "1",
        "mutatorName": "StringLiteral",
        "replacement": replacement,
        "status": status,
        "static": False,
        "location": places,
        **more,
    }


RECORDED = {
    "schemaVersion": "1.0",
    "thresholds": {"high": 80, "low": 60},
    "files": {
        "src/sign.ts": {
            "language": "typescript",
            "source": SOURCE,
            "mutants": [
                mutant("Killed", (5, 10), (5, 16), '""', killedBy=["7"], coveredBy=["7"]),
                mutant("Survived", (2, 7), (2, 12), "v <= 0", coveredBy=["7", "8"]),
                mutant("NoCoverage", (2, 14), (4, 4), "{}"),
                mutant("Timeout", (2, 7), (2, 12), "true"),
                mutant("CompileError", (2, 7), (2, 12), "?"),
            ],
        }
    },
    "testFiles": {"test/sign.test.ts": {"tests": [{"id": "7", "name": "plus"}, {"id": "8", "name": "x"}]}},
}


def test_mutants_are_told_by_fate_with_the_line_as_it_would_read() -> None:
    report = read_report(json.dumps(RECORDED).encode())

    assert [each.verdict for each in report.mutants] == [
        Fate.KILLED,
        Fate.SURVIVED,
        Fate.UNCOVERED,
        Fate.TIMEOUT,
    ]
    assert report.score == 0.5
    assert (report.same, report.tests) == (1, 2)
    killed, survived, uncovered, _ = report.mutants
    assert (killed.test, killed.line) == ("test/sign.test.ts::plus", 5)
    assert (survived.before, survived.after, survived.tests) == ("  if (v < 0) {", "  if (v <= 0) {", 2)
    assert uncovered.after == "  if (v < 0) {}"


@pytest.mark.parametrize("text", [b"", b"[]", b'{"files": {"a.ts": {"mutants": []}}}'])
def test_what_is_no_report_is_refused(text: bytes) -> None:
    with pytest.raises(BadReport, match="Stryker"):
        read_report(text)


def test_its_packages_lie_beside_those_of_the_project_which_go_first(tmp_path: Path) -> None:
    own, place = tmp_path / "own", tmp_path / "node_modules"
    for name in ("@stryker-mutator/core", "@stryker-mutator/vitest-runner", "semver"):
        (own / name).mkdir(parents=True)
        (own / name / "package.json").write_text('{"name": "own"}')
    (place / "semver").mkdir(parents=True)
    (place / "semver" / "package.json").write_text('{"name": "theirs"}')

    lend(own, place)

    assert (place / "@stryker-mutator/core").is_symlink()
    runner = place / "@stryker-mutator/vitest-runner"
    assert runner.is_dir()
    assert not runner.is_symlink()  # it finds the project's vitest from where it lies
    assert "theirs" in (place / "semver/package.json").read_text()


def test_a_body_that_no_test_reaches_is_named_by_the_line_on_which_it_begins() -> None:
    told = RECORDED["files"]["src/sign.ts"]["mutants"][2]  # from the brace on line 2, which does run

    assert told["location"]["start"]["line"] == 2
    assert read_report(json.dumps(RECORDED).encode()).mutants[2].line == 3


def told(tmp_path: Path, runner: str, **more: tuple[str, ...]) -> dict[str, Any]:
    asked = {"mutate": ("src/a.ts:1-2",), "report": tmp_path / "r.json", "jobs": 2, **more}
    return json.loads(StrykerRun(runner=runner, **asked).configuration())


@pytest.mark.parametrize(("runner", "used"), [("vitest", "vitest"), ("jest", "jest"), ("node_test", "tap")])
def test_it_is_told_the_runner_of_the_project(tmp_path: Path, runner: str, used: str) -> None:
    known = told(tmp_path, runner)

    assert (known["testRunner"], known["plugins"]) == (used, [f"@stryker-mutator/{used}-runner"])
    assert (known["mutate"], known["concurrency"]) == (["src/a.ts:1-2"], 2)
    assert ("tap" in known) == (used == "tap")


def test_files_of_node_are_started_with_what_loads_them(tmp_path: Path) -> None:
    args = ("--import", "tsx", "--test-timeout=9", "--conditions=dev", "test/[id].test.ts")

    known = told(tmp_path, "node_test", tests=("test/[id].test.ts",), args=args, mutate=("src/[id].ts",))

    assert known["tap"]["nodeArgs"] == ["--test-reporter=tap", "--import", "tsx", "--conditions=dev"]
    assert known["tap"]["testFiles"] == ["test/[[]id].test.ts"]
    assert known["mutate"] == ["src/[[]id].ts"]
