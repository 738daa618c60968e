"""The text flows of R4 and R2 under `preset = "classic"`, by the verbs, over the real protocol."""

import json
import sys
from pathlib import Path

import pytest

from acceptance.conftest import ASKING, RIGHT, WISH

CLASSIC = 'preset = "classic"\n'
ADD = "def add(a, b):\n    return {}\n"


def critic(repository, *counts):
    """A reviewer that finds so many problems, round by round; gives the settings that name it."""
    prompts = []
    for number, count in enumerate(counts, start=1):
        found = [
            {
                "severity": "error",
                "category": "correctness",
                "message": f"problem {'abcdefgh'[number]}{'klmnop'[place]}",
                "file": "calc.py",
                "line": 1,
            }
            for place in range(count)
        ]
        decision = "request_changes" if found else "approve"
        prompts.append([{"say": json.dumps({"decision": decision, "findings": found})}])
    path = repository.root.parent / "critic.json"
    path.write_text(json.dumps({"prompts": prompts, "counter": "played/critic"}), encoding="utf-8")
    argv = json.dumps([sys.executable, "-m", "setpoint.agents.scripted", str(path)])
    agent = f'protocol = "acp"\ncommand = {argv}\nwrites = ["{path.parent / "played"}/"]\n'
    return f'[agents]\nreviewer = "critic"\n[agent.critic]\n{agent}'


def written(text):
    return [{"write": "calc.py", "text": text}]


def loop_of(folder):
    return json.loads((Path(folder) / "progress.json").read_text())["feedback_loop"]


def test_r4_rework_once_twice_thrice_then_manual_review(repository):
    settings = CLASSIC + critic(repository, 4, 3, 2, 1)
    drafts = [written(f"{RIGHT}# draft {number}\n") for number in range(1, 6)]
    repository.agent(*drafts, settings=settings, counter="count")

    done = repository.setpoint("run", WISH, "--agent", "actor", **ASKING)

    assert done.returncode == 10, done.stderr
    told = [line.partition(" ")[2] for line in done.stdout.splitlines()]
    flow = [line for line in told if line.startswith(("rework ", "🛑"))]
    broken = '🛑 Story "make-the-failing-tests-pass" reached max refinement attempts (3/3)'
    assert [line.split(":")[0] for line in flow] == [
        "rework 1/3",
        "rework 2/3",
        "rework 3/3",
        f"{broken}; manual intervention required; hint",
    ]
    assert all("review -> implement" in line for line in flow[:3])
    assert "reached max refinement attempts (3/3); manual intervention required" in done.stdout
    assert "answer    setpoint answer continue" in done.stdout
    (row,) = json.loads(repository.setpoint("status", "--json").stdout)
    assert (row["state"], row["iteration"]) == ("waiting", 4)


@pytest.mark.slow
def test_r2_the_same_failure_three_times_then_the_menu_then_verified(repository):
    same = [written(ADD.format(wrong)) for wrong in ("a * b", "b * a", "b + b")]  # each gives 6 for 2 and 3
    repository.agent(*same, [{"expect": "3 and 2 are 5"}, *written(RIGHT)], settings=CLASSIC, counter="count")

    done = repository.setpoint("run", WISH, "--agent", "actor", "--json", **ASKING)

    asked = json.loads(done.stdout)
    assert (done.returncode, asked["gate"]["guard"]) == (10, "max_same_test_failure")
    same_failure = "the same test failure in 3 rounds in a row: tests/test_calc.py::test_add"
    assert same_failure in asked["gate"]["question"]
    assert list(asked["commands"]) == ["continue", "accept", "cancel"]
    loop = loop_of(asked["folder"])
    assert {key: loop[key] for key in loop if key != "iterations"} == {
        "enabled": True,
        "current_iteration": 3,
        "max_iterations": 5,
        "status": "escalated",
        "consecutive_review_failures": 0,
        "consecutive_test_failures": 3,
    }
    assert [(each["number"], each["test_result"], each["status"]) for each in loop["iterations"]] == [
        (1, "FAIL", "continuing"),
        (2, "FAIL", "continuing"),
        (3, "FAIL", "escalated"),
    ]
    assert all("tests/test_calc.py::test_add" in each["test_failures"][0] for each in loop["iterations"])
    scratchpad = (Path(asked["folder"]) / "scratchpad.md").read_text()
    assert "## Iteration 3" in scratchpad
    assert "A person is asked" in scratchpad

    words = ("answer", "continue", "2", "--instruct", "3 and 2 are 5", "--go", "--json")
    done = repository.setpoint(*words)

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["mark"], outcome["iterations"]) == (0, "IMPLEMENTATION_VERIFIED", 4)
    loop = loop_of(outcome["folder"])
    assert (loop["status"], loop["max_iterations"]) == ("IMPLEMENTATION_VERIFIED", 7)
    assert (loop["iterations"][3]["review_result"], loop["iterations"][3]["test_result"]) == ("PASS", "PASS")
    assert (loop["iterations"][2]["status"], loop["consecutive_test_failures"]) == ("continuing", 0)
