"""What a person dismisses blocks no later run or check at its place, and blocks everywhere else."""

import json
import shutil

from acceptance.conftest import RIGHT, WISH
from acceptance.test_objection_runs import APPROVES, WRONG, cast, objects

HERE = """import subprocess


def add(a, b):
    return int(subprocess.run(f"expr {a} + {b}", shell=True, capture_output=True).stdout)


"""
SHELL = {"SETPOINT_CHECKS__BANDIT": "true", "SETPOINT_LIMITS__MAX_ITERATIONS": "1"}
WAITING = "def wait(x):\n    return subprocess.call(x, shell=True)\n"


def findings(repository, rule):
    every = json.loads(repository.setpoint("finding", "list", "--json").stdout)
    return [each for each in every if each["rule"] == rule]


def comments(repository):
    every = json.loads(repository.setpoint("learn", "list", "--json").stdout)
    return [each for each in every if "on-approval" in each["learning"]["tags"]]


def test_a_dismissed_finding_of_a_check_never_blocks_again_and_its_rule_blocks_elsewhere(repository):
    repository.players('[agents]\nmaker = "actor"\n', actor=[{"write": "calc.py", "text": HERE}])
    code, _ = repository.run(**SHELL)
    assert code != 0
    (found,) = findings(repository, "B602")

    said = repository.setpoint("finding", "dismiss", found["id"][:8], "--reason", "x is ours", "--days", "30")
    assert said.returncode == 0, said.stderr
    for turn in range(2):  # other lines come before it
        text = "\n" * turn + HERE
        repository.players('[agents]\nmaker = "actor"\n', actor=[{"write": "calc.py", "text": text}])
        code, outcome = repository.run(**SHELL)
        assert (code, outcome["ending"]) == (0, "verified"), outcome["reason"]
    (again,) = findings(repository, "B602")
    assert "x is ours" in again["suppressed"]
    assert "1 suppressed by people" in repository.setpoint("finding", "list").stdout
    repository.write("calc.py", HERE)
    checked = repository.setpoint("check", "--json", **SHELL)
    assert checked.returncode == 0, checked.stdout
    assert "suppressed" in repository.setpoint("check", **SHELL).stdout

    repository.write("calc.py", HERE + WAITING)
    assert repository.setpoint("check", **SHELL).returncode == 1
    repository.write("calc.py", HERE)
    listed = repository.setpoint("finding", "suppressed").stdout
    assert "bandit B602 in calc.py" in listed
    assert "x is ours" in listed
    repository.setpoint("finding", "lift", found["id"][:8])
    assert repository.setpoint("check", **SHELL).returncode == 1
    assert repository.setpoint("finding", "suppressed").stdout == "nothing is suppressed\n"


def test_a_dismissed_objection_never_blocks_again_also_when_it_is_worded_anew(repository):
    cast(repository, [RIGHT, f"{RIGHT}\n"], *[objects(WRONG)] * 2)
    repository.setpoint("run", WISH, "--json")
    (found,) = findings(repository, "")
    repository.setpoint("finding", "dismiss", found["id"], "--reason", "text is not added here")

    anew = {"id": found["id"], "severity": "error", "category": "correctness", "message": "text is refused"}
    for answer in (objects(WRONG), objects(anew)):
        shutil.rmtree(repository.root.parent / "played")
        cast(repository, [RIGHT], answer, APPROVES)
        outcome = json.loads(repository.setpoint("run", WISH, "--json").stdout)
        assert (outcome["ending"], outcome["iterations"]) == ("verified", 1), outcome["reason"]
        (again,) = findings(repository, "")
        assert again["id"] == found["id"]
        assert "text is not added here" in again["suppressed"]


def test_what_a_person_rejected_stays_out_and_what_was_said_in_passing_waits_for_a_yes(repository):
    repository.agent([{"write": "calc.py", "text": RIGHT}])
    repository.run("--agent", "actor")
    asked = repository.setpoint("finding", "comment", "calc.py:1", "Why not subtract?")
    assert "remember" not in asked.stdout
    assert comments(repository) == []
    said = repository.setpoint("finding", "comment", "calc.py:1", "numbers are added as they are")
    assert "remember this? setpoint learn approve lrn-" in said.stdout
    (known,) = comments(repository)
    assert known["status"] == "candidate"
    name = known["learning"]["id"]
    repository.setpoint("learn", "approve", name)
    assert json.loads(repository.setpoint("learn", "show", name, "--json").stdout)["status"] == "active"
    repository.setpoint("learn", "reject", name)
    repository.setpoint("finding", "comment", "calc.py:1", "numbers are added as they are")
    (known,) = comments(repository)
    assert known["status"] == "retired"
