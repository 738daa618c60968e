"""The check of GitHub Actions, run as the runner runs it: an empty environment and a shallow checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.ci.conftest import BAD, DOUBLE, FILES, TEST, TEST_DOUBLE, Forge, pull_payload
from setpoint.model.ci_report import CiState


def test_a_good_change_passes_and_is_proved(forge: Forge) -> None:
    pull = forge.propose({"calc.py": DOUBLE, "tests/test_double.py": TEST_DOUBLE})
    ran = forge.check_pull(pull)

    assert ran.code == 0, ran.out + ran.err
    assert ran.report.state is CiState.PASSED
    assert (ran.report.head, ran.report.measured) == (pull["head"], pull["merge"])
    assert ran.report.base == pull["base"]
    assert ran.commands == []
    assert {each.name: each.state for each in ran.report.obligations}["witness"] == "met"
    assert (ran.outputs["state"], ran.outputs["blocking-problems"]) == ("passed", "0")
    assert "nothing new is wrong" in ran.summary
    assert "| `tests: passed` | 1 | 2 |" in ran.summary


def test_a_change_that_breaks_a_test_fails_with_an_annotation(forge: Forge) -> None:
    ran = forge.check_pull(forge.propose({"calc.py": BAD}))

    assert ran.code == 1
    (command,) = ran.commands
    assert command.startswith("::error file=tests/test_calc.py,line=5,title=Setpoint%3A tests/test_calc.py")
    assert ran.report.state is CiState.FAILED
    sarif = json.loads((ran.folder / "setpoint.sarif").read_text())
    assert sarif["runs"][0]["results"][0]["ruleId"] == "test/assertion"
    assert ran.outputs["state"] == "failed"


def test_a_weakened_test_runs_as_it_was_and_is_noted(forge: Forge) -> None:
    weak = TEST.replace("assert add(1, 2) == 3", "assert add(1, 2)  # noqa")
    ran = forge.check_pull(forge.propose({"calc.py": BAD, "tests/test_calc.py": weak}))

    assert ran.report.contradicted == ("tests/test_calc.py::test_add",)
    assert ran.report.restored == ()
    assert [(each.rule, each.file) for each in ran.report.notes] == [("suppression", "tests/test_calc.py")]
    assert "contradicts tests of the base: `tests/test_calc.py::test_add`" in ran.summary
    assert "Notes for the reader" in ran.summary


@pytest.mark.slow  # several checks, each a job of its own
def test_a_label_of_a_person_lets_a_change_contradict_tests(forge: Forge) -> None:
    other = TEST.replace("add(1, 2) == 3", "add(1, 2) == -1")
    pull = forge.propose({"calc.py": BAD, "tests/test_calc.py": other})

    labels = [{"name": "setpoint: tests may change"}]
    ran = forge.check_pull(pull, action="labeled", labels=labels)

    assert ran.code == 0, ran.out
    assert ran.report.released
    assert "A label allows this change to contradict tests of the base" in ran.summary


def test_a_change_that_switches_all_checks_off_is_judged_with_the_settings_of_the_base(forge: Forge) -> None:
    off = "[checks]\npytest = false\nunittest = false\n"
    ran = forge.check_pull(forge.propose({"calc.py": BAD, "setpoint.toml": off}))

    assert ran.code == 1
    assert ran.report.settings_changed == ("setpoint.toml",)
    assert {each.file for each in ran.report.blocking} == {"tests/test_calc.py"}
    assert any(line.startswith("::warning file=setpoint.toml") for line in ran.commands)


def test_settings_that_cannot_be_read_harm_only_the_change_that_brings_them(forge: Forge) -> None:
    ran = forge.check_pull(forge.propose({"setpoint.toml": "no = [toml", "pyproject.toml": "["}))

    assert ran.report.settings_changed == ("setpoint.toml", "pyproject.toml")


def test_a_state_folder_in_the_change_is_not_read(forge: Forge) -> None:
    forged = {".setpoint/quarantine.toml": "forged", ".setpoint/repository.json": "{}", "calc.py": BAD}
    ran = forge.check_pull(forge.propose(dict(forged)))

    assert ran.code == 1
    assert not (ran.folder / "project" / ".setpoint" / "app.db").exists()


def test_a_test_that_fails_at_the_base_blocks_nothing(tmp_path: Path) -> None:
    failing = "def test_known():\n    assert False\n"
    forge = Forge(tmp_path, {**FILES, "tests/test_known.py": failing})
    ran = forge.check_pull(forge.propose({"calc.py": DOUBLE, "tests/test_double.py": TEST_DOUBLE}))

    assert ran.code == 0, ran.out
    assert ran.report.known_red == ("tests/test_known.py::test_known",)
    assert "not blamed on the change: `tests/test_known.py::test_known`" in ran.summary


def test_a_checkout_of_the_head_is_deepened_until_the_merge_base_is_there(forge: Forge) -> None:
    start = forge.main
    forge.advance({"other.py": "A = 1\n"}, commits=60)
    pull = forge.propose({"calc.py": BAD}, start=start)
    place = forge.checkout("refs/pull/1/head")
    ran = forge.check(place, "pull_request", pull_payload(pull, "synchronize"))

    assert ran.code == 1, ran.err
    assert ran.report.base == start
    assert ran.report.measured == pull["head"]


def test_a_runner_that_breaks_at_the_base_too_is_not_measured_and_blocks_nothing(tmp_path: Path) -> None:
    forge = Forge(tmp_path, {**FILES, "pytest.ini": "[pytest]\naddopts = --no-such-option\n"})
    ran = forge.check_pull(forge.propose({"calc.py": DOUBLE}))

    assert ran.code == 0, ran.out
    assert ran.report.state is CiState.NOT_MEASURED
    assert ran.outputs["state"] == "not_measured"
    assert any(line.startswith("::warning title=Setpoint%3A pytest broke") for line in ran.commands)
    assert "not measured" in ran.summary
