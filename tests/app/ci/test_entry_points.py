"""The files that a workflow names: the action, its script and the template of GitLab."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.ci.conftest import BAD, DOUBLE, SETPOINT, TEST_DOUBLE, Forge, pull_payload
from setpoint.app.ci.github_event import RELEASE_LABEL
from setpoint.app.ci.job_files import CODE_QUALITY, JUNIT
from setpoint.app.ci.ordered_work import EVENTS

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "how-to"


def action() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def test_the_action_hands_its_inputs_to_the_script_as_variables_alone() -> None:
    made = action()
    steps = made["runs"]["steps"]

    assert made["runs"]["using"] == "composite"
    assert made["inputs"]["label"]["default"] == RELEASE_LABEL
    assert all("${{" not in step.get("run", "") for step in steps)
    script = (ROOT / "ci-templates" / "github.sh").read_text("utf-8")
    given = {name for step in steps for name in step.get("env", {})}
    assert set(re.findall(r"INPUT_[A-Z_]+", script)) == {name for name in given if name.startswith("INPUT_")}
    named = {name for step in steps for name in re.findall(r"inputs\.([a-z-]+)", json.dumps(step))}
    assert named == set(made["inputs"])


def test_each_workflow_of_the_documents_is_yaml_without_secrets_beside_untrusted_code() -> None:
    text = (PAGE / "github-action.md").read_text("utf-8")
    found = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    workflows = [each for each in found if isinstance(each, dict) and "jobs" in each]

    assert len(workflows) >= 2
    for each in workflows:
        (on,) = [each[key] for key in (True, "on") if key in each]
        uses = [step.get("uses", "") for job in each["jobs"].values() for step in job["steps"]]
        checks_out = any(use.startswith("actions/checkout") for use in uses)
        allowed = json.dumps([part.get("permissions") for part in (each, *each["jobs"].values())])
        assert "pull_request_target" not in on
        assert "permissions" in each
        # Where a job may write, no event may bring code of somebody who may not.
        foreign = set(on) - set(EVENTS)
        assert not (checks_out and foreign and "pull-requests" in allowed)
        assert "workflow_run" not in on or not checks_out


def test_the_script_of_the_action_runs_the_check(forge: Forge) -> None:
    pull = forge.propose({"calc.py": BAD})
    place = forge.checkout("refs/pull/1/merge")
    temp = place.parent / "temp"
    installed = temp / "setpoint-environment" / "bin"
    installed.mkdir(parents=True)
    (installed / "setpoint").symlink_to(SETPOINT)
    event = place.parent / "event.json"
    event.write_text(json.dumps(pull_payload(pull)), "utf-8")
    given = {
        "RUNNER_TEMP": str(temp),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REF": "refs/pull/1/merge",
        "GITHUB_SHA": pull["merge"],
        "INPUT_COMMAND": "check",
        "INPUT_BASE": "",
        "INPUT_FAIL_ON": "new",
        "INPUT_LABEL": RELEASE_LABEL,
        "INPUT_REPORT": "",
    }
    script = ROOT / "ci-templates" / "github.sh"
    ran = forge.job(place, program=("bash", str(script)), **given)

    assert ran.code == 1, ran.out + ran.err
    assert ran.outputs["report"] == str(temp / "setpoint" / "setpoint-check.json")
    assert Path(ran.outputs["sarif"]).is_file()
    wrong = forge.job(place, program=("bash", str(script)), **{**given, "INPUT_COMMAND": "x; touch y"})
    assert (wrong.code, (place / "y").exists()) == (2, False)


def test_the_template_of_gitlab_is_yaml_and_names_the_files_that_are_written() -> None:
    text = (ROOT / "ci-templates" / "gitlab.yml").read_text("utf-8")
    head, job = yaml.safe_load_all(text)

    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(head["spec"]["inputs"])
    made = job["setpoint"]
    assert "setpoint ci gitlab check --output setpoint-report" in made["script"][0]
    assert made["artifacts"]["reports"] == {
        "codequality": f"setpoint-report/{CODE_QUALITY}",
        "junit": f"setpoint-report/{JUNIT}",
    }


def gitlab(forge: Forge, place: Path, sha: str, **variables: str) -> Any:
    words = ("ci", "gitlab", "check", "--output", str(place.parent))
    return forge.job(place, *words, CI_COMMIT_SHA=sha, CI_DEFAULT_BRANCH="main", **variables)


@pytest.mark.slow  # several checks, each a job of its own
def test_a_merge_request_of_gitlab_is_checked(forge: Forge) -> None:
    pull = forge.propose({"calc.py": BAD})
    place = forge.checkout("refs/pull/1/head")
    given = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_DIFF_BASE_SHA": pull["base"]}
    ran = gitlab(forge, place, pull["head"], **given)

    assert ran.code == 1, ran.err
    assert ran.commands == []
    issues = json.loads((ran.folder / CODE_QUALITY).read_text("utf-8"))
    assert {each["severity"] for each in issues} == {"blocker"}
    assert {each["location"]["path"] for each in issues} == {"tests/test_calc.py"}
    assert 'failures="1"' in (ran.folder / JUNIT).read_text("utf-8")

    merged = forge.checkout("refs/pull/1/merge")
    given |= {
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": pull["head"],
        "CI_MERGE_REQUEST_LABELS": f"bug,{RELEASE_LABEL}",
    }
    ran = gitlab(forge, merged, pull["merge"], **given)
    assert (ran.code, ran.report.base, ran.report.released) == (1, pull["base"], True)


@pytest.mark.slow  # several checks, each a job of its own
def test_a_branch_of_gitlab_is_compared_with_what_was_there_before(forge: Forge) -> None:
    before = forge.main
    after = forge.advance({"calc.py": DOUBLE, "tests/test_double.py": TEST_DOUBLE})
    place = forge.checkout("refs/heads/main")
    given = {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BEFORE_SHA": before}

    ran = gitlab(forge, place, after, **given)
    assert (ran.code, ran.report.base) == (0, before)
    assert gitlab(forge, place, after, **given, CI_COMMIT_TAG="v1").report.reason == "a tag was pushed"
    assert gitlab(forge, place, "main", **given).code == 2
    assert gitlab(forge, place, "", **given).code == 2
