"""What a person dismisses blocks no later run or check at its place, and blocks everywhere else."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.conftest import ASKING, RIGHT, WISH
from acceptance.test_objection_runs import APPROVES, WRONG, cast, objects

HERE = """import subprocess


def add(a, b):
    return int(subprocess.run(f"expr {a} + {b}", shell=True, capture_output=True).stdout)


"""
SHELL = {"SETPOINT_CHECKS__BANDIT": "true", "SETPOINT_LIMITS__MAX_ITERATIONS": "1"}
RULE = "numbers are added as they are"
WAITING = "def wait(x):\n    return subprocess.call(x, shell=True)\n"


def findings(repository, rule):
    every = json.loads(repository.setpoint("finding", "list", "--json").stdout)
    return [each for each in every if each["rule"] == rule]


def comments(repository):
    every = json.loads(repository.setpoint("learn", "list", "--json").stdout)
    return [each for each in every if "on-approval" in each["learning"]["tags"]]


def ended(repository, text):
    """Let an agent of the user's own change the file and end its turn; return what its hook tells it."""
    message = json.dumps({"session_id": text, "cwd": str(repository.root), "prompt": "go on"})
    answers = []
    for verb in ("prompt", "stop"):
        argv = [sys.executable, "-m", "setpoint", "hook", verb, "claude"]
        given = {"cwd": repository.root, "env": repository.environment(**SHELL), "input": message}
        answers.append(subprocess.run(argv, **given, stdout=subprocess.PIPE, text=True, check=True).stdout)
        repository.write("calc.py", text)
    return answers[-1]


@pytest.fixture
def dismissed(repository):
    """A finding of a run that Ada dismissed."""
    repository.signed("Ada")
    repository.players('[agents]\nmaker = "actor"\n', actor=[{"write": "calc.py", "text": HERE}])
    code, _ = repository.run(**SHELL)
    assert code != 0
    (found,) = findings(repository, "B602")
    said = repository.setpoint("finding", "dismiss", found["id"][:8], "--reason", "x is ours", "--days", "30")
    assert said.returncode == 0, said.stderr
    return found


def run_again(repository):
    """Run once more; other lines come before the dismissed one."""
    repository.players('[agents]\nmaker = "actor"\n', actor=[{"write": "calc.py", "text": f"\n{HERE}"}])
    code, outcome = repository.run(**SHELL)
    assert (code, outcome["ending"]) == (0, "verified"), outcome["reason"]
    return outcome


@pytest.mark.timeout(400)  # two runs and seven verbs
def test_a_dismissed_finding_never_blocks_again_and_its_rule_blocks_elsewhere(repository, dismissed):
    run_again(repository)
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
    repository.setpoint("finding", "lift", dismissed["id"][:8])
    assert repository.setpoint("check", **SHELL).returncode == 1
    assert repository.setpoint("finding", "suppressed").stdout == "nothing is suppressed\n"


@pytest.mark.slow
@pytest.mark.timeout(400)  # two runs, verified twice
@pytest.mark.usefixtures("dismissed")
def test_whoever_reads_a_run_is_told_who_suppressed_what(repository):
    outcome = run_again(repository)
    assert "1 suppressed by Ada" in repository.setpoint("show").stdout
    assert "1 suppressed by Ada" in (Path(outcome["folder"]) / "report.md").read_text()
    statement = repository.root.parent / "statement.json"
    statement.write_text(repository.setpoint("admin", "attest", "--predicate", "evidence").stdout)
    attested = [each["suppressed"] for each in json.loads(statement.read_text())["predicate"]["findings"]]
    assert [each.partition(" until ")[0] for each in attested if each] == ["suppressed by Ada"]
    for words in ((), ("--statement", str(statement))):
        verified = repository.setpoint("verify", *words, **SHELL)
        assert verified.returncode == 0, verified.stdout
        assert "issue., suppressed by Ada until" in verified.stdout


@pytest.mark.slow
@pytest.mark.timeout(400)  # one run and eight checks
def test_a_place_is_suppressed_as_far_as_a_person_says_also_for_their_own_agent(repository, dismissed):
    assert "nothing is wrong" in ended(repository, f"{HERE}\n")
    assert "the work is not done" in ended(repository, f"{HERE}{WAITING}")
    away = repository.setpoint("finding", "dismiss", dismissed["id"], "--place", "calc.py::wait")
    assert (away.returncode, "'calc.py::wait' does not hold calc.py" in away.stderr) == (2, True)
    repository.setpoint("finding", "lift", dismissed["id"])
    repository.setpoint("finding", "dismiss", dismissed["id"], "--place", "calc.*")
    assert "nothing is wrong" in ended(repository, f"{HERE}{WAITING}\n")
    repository.write("other.py", f"import subprocess\n\n\n{WAITING}")
    assert repository.setpoint("check", **SHELL).returncode == 1


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


def test_an_objection_that_an_answer_dismissed_blocks_no_later_run(repository):
    repository.signed("Ada")
    cast(repository, [RIGHT, f"{RIGHT}\n"], *[objects(WRONG)] * 2)
    asked = json.loads(repository.setpoint("run", WISH, "--json", **ASKING).stdout)["trace_id"]
    repository.setpoint("answer", "dismiss", asked, "--because", "two are enough")
    done = repository.setpoint("resume", asked, "--json", **ASKING)
    assert json.loads(done.stdout)["ending"] == "verified", done.stderr
    assert "1 suppressed by Ada" in repository.setpoint("show").stdout
    statement = json.loads(repository.setpoint("admin", "attest", "--predicate", "evidence").stdout)
    (named,) = statement["predicate"]["dismissed"]
    assert (named["message"], named["suppressed"]) == (WRONG["message"], "suppressed by Ada: two are enough")

    shutil.rmtree(repository.root.parent / "played")
    cast(repository, [RIGHT], objects(WRONG))
    outcome = json.loads(repository.setpoint("run", WISH, "--json").stdout)
    assert (outcome["ending"], outcome["iterations"]) == ("verified", 1), outcome["reason"]
    assert "two are enough" in repository.setpoint("finding", "suppressed").stdout


@pytest.mark.slow
@pytest.mark.timeout(900)  # eleven runs
def test_over_ten_runs_what_people_said_holds(repository):
    # A dismissed finding and a rejected learning never come back; an approved convention is in each prompt.
    memory = "[memory]\nhold_out = 0.5\nwithhold = 0.5\n"  # an experiment never touches what people said
    maker = f'{memory}[agents]\nmaker = "actor"\n'
    repository.players(maker, actor=[{"write": "calc.py", "text": RIGHT}])
    repository.run()
    (learnt,) = json.loads(repository.setpoint("learn", "list", "--json").stdout)
    wrong = learnt["learning"]["id"]
    repository.setpoint("learn", "reject", wrong, "--reason", "it was a typing error")
    repository.setpoint("finding", "comment", "calc.py:1", RULE)
    (rule,) = comments(repository)
    repository.setpoint("learn", "approve", rule["learning"]["id"])
    repository.players(maker, actor=[{"write": "calc.py", "text": HERE}])
    repository.run(**SHELL)
    (found,) = findings(repository, "B602")
    repository.setpoint("finding", "dismiss", found["id"], "--reason", "x is ours")

    for turn in range(10):
        text = "\n" * (turn % 3) + HERE
        repository.players(maker, actor=[{"expect": RULE}, {"write": "calc.py", "text": text}])
        code, outcome = repository.run(**SHELL)
        assert (code, outcome["ending"], outcome["iterations"]) == (0, "verified", 1), outcome["reason"]
        (again,) = findings(repository, "B602")
        assert "x is ours" in again["suppressed"]
        recalled = [
            item["learning"]
            for each in json.loads(repository.setpoint("show", "--json").stdout)
            for item in each["body"].get("items", ())
            if each["body"]["kind"] == "memory.recalled" and item["shown"]
        ]
        assert wrong not in recalled
        assert rule["learning"]["id"] in recalled
    active = [
        each["learning"]["id"]
        for each in json.loads(repository.setpoint("learn", "list", "--json").stdout)
        if each["status"] in ("active", "candidate") and "test_add" in json.dumps(each["learning"])
    ]
    assert active == []


def test_what_a_person_rejected_stays_out_and_what_was_said_in_passing_waits_for_a_yes(repository):
    repository.agent([{"write": "calc.py", "text": RIGHT}])
    repository.run("--agent", "actor")
    asked = repository.setpoint("finding", "comment", "calc.py:1", "Why not subtract?")
    assert "remember" not in asked.stdout
    assert comments(repository) == []
    said = repository.setpoint("finding", "comment", "calc.py:1", RULE)
    assert "remember this? setpoint learn approve lrn-" in said.stdout
    (known,) = comments(repository)
    assert known["status"] == "candidate"
    name = known["learning"]["id"]
    repository.setpoint("learn", "approve", name)
    assert json.loads(repository.setpoint("learn", "show", name, "--json").stdout)["status"] == "active"
    repository.setpoint("learn", "reject", name)
    repository.setpoint("finding", "comment", "calc.py:1", RULE)
    (known,) = comments(repository)
    assert known["status"] == "retired"
    wrong = repository.setpoint("finding", "comment", "nowhere", "no")
    assert (wrong.returncode, "FILE:LINE" in wrong.stderr) == (2, True)
