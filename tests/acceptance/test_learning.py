"""Loops 3 and 4 as a user sees them: credit, belief, fixes, packs, deliveries."""

import json

import pytest

from acceptance.conftest import RIGHT, SUGGESTION
from acceptance.test_objection_runs import APPROVES, cast, objects

ALL_SHOWN = {"SETPOINT_MEMORY__HOLD_OUT": "0", "SETPOINT_MEMORY__WITHHOLD": "0"}
HANDLING = "no error handling: a missing rate raises KeyError"
OBJECTION = {
    "severity": "error",
    "category": "correctness",
    "message": HANDLING,
    "file": "calc.py",
    "line": 1,
    "confidence": 0.9,
}
HANDLED = "def add(a, b):\n    total = a + b\n    return total\n"


def answer(decision, *findings):
    return [{"say": json.dumps({"decision": decision, "findings": list(findings)})}]


def listed(repository, *words):
    return json.loads(repository.setpoint("learn", "list", *words, "--json").stdout)


def told(repository, *words, code=0, **more):
    done = repository.setpoint(*words, **more)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_of_bugs_that_are_mended_together_each_is_credited_to_its_own_change(repository):
    bugs = {name: f"def {name}(row):\n    return row['{name}']\n" for name in ("price", "tax", "unit")}
    for name, text in bugs.items():
        repository.write(f"{name}s.py", text)
        test = f"from {name}s import {name}\n\n\ndef test_{name}():\n    assert {name}({{}}) == 0\n"
        repository.write(f"tests/test_{name}.py", test)
    repository.commit("three bugs more")
    mended = {"calc.py": RIGHT} | {
        f"{name}s.py": text.replace(f"['{name}']", f".get('{name}', 0)") for name, text in bugs.items()
    }
    repository.agent([{"write": path, "text": text} for path, text in mended.items()])
    assert repository.run("--agent", "actor", **ALL_SHOWN)[0] == 0
    titles = [each["learning"]["title"] for each in listed(repository)]
    assert len(titles) == 3, "no more than three of one run"
    for title in titles:
        name = title.split("`")[1]
        assert f"(`{name if name != 'add' else 'calc'}{'s' if name in bugs else ''}.py`)" in title
        assert f"or test_{name} fails" in title


def test_a_dismissal_takes_belief_from_what_led_to_the_finding(repository):
    cast(repository, [RIGHT, HANDLED], objects(OBJECTION), APPROVES)
    _, run = repository.run(**ALL_SHOWN)
    before = next(each for each in listed(repository) if HANDLING in each["learning"]["title"])
    (found,) = [
        each
        for each in json.loads(told(repository, "finding", "list", "--json"))
        if each["message"] == HANDLING
    ]
    told(repository, "finding", "show", found["id"])
    said = told(repository, "finding", "dismiss", found["id"])
    (dismissed,) = json.loads(told(repository, "finding", "feedback", "--json"))
    assert 0 < dismissed["body"]["considered_s"] < 300
    id_ = before["learning"]["id"]
    assert f"confidence in {id_}" in said
    (after,) = [each for each in listed(repository) if each["learning"]["id"] == id_]
    assert after["confidence"]["mean"] < before["confidence"]["mean"] - 0.1
    shown = told(repository, "learn", "show", id_)
    assert "finding_dismissed" in shown
    assert run["trace_id"] in shown


@pytest.mark.timeout(400)  # one run and two full measurements
def test_a_fix_is_really_applied_measured_and_delivered(repository):
    repository.crew([{"write": "calc.py", "text": RIGHT}], critic=[answer("approve", SUGGESTION)])
    _, run = repository.run(**ALL_SHOWN)
    (found,) = json.loads(told(repository, "finding", "list", "--json"))

    said = told(repository, "finding", "apply", found["id"])
    assert f"kept, on {run['branch']}-fixes" in said
    assert '"""Add two numbers."""' in repository.git("show", f"{run['branch']}-fixes:calc.py")
    assert '"""Add' not in (repository.root / "calc.py").read_text()

    # A person's own fix that breaks a test is measured too, and not kept.
    broken = RIGHT.replace("a + b", "a - b")
    body = "\n".join(
        [
            "--- a/calc.py",
            "+++ b/calc.py",
            "@@ -1,2 +1,2 @@",
            f" {RIGHT.splitlines()[0]}",
            f"-{RIGHT.splitlines()[1]}",
            f"+{broken.splitlines()[1]}",
            "",
        ]
    )
    path = repository.root.parent / "own.diff"
    path.write_text(body)
    said = told(repository, "finding", "rewrite", found["id"], str(path), code=1)
    assert "tests fail with it" in said
    assert not repository.git("branch", "--list", f"{run['branch']}-fixes-2")


@pytest.mark.timeout(400)  # one run and a dozen verbs
def test_packs_verdicts_and_merging(repository, tmp_path):
    repository.agent([{"write": "calc.py", "text": RIGHT}])
    repository.run("--agent", "actor", **ALL_SHOWN)
    (known,) = listed(repository)
    pack = tmp_path / "team.jsonl"
    assert "1 learnings" in told(repository, "learn", "export", str(pack))
    other = pack.read_text().replace("or test_add fails", "or always fails, see https://example.org,")
    pack.write_text(other)
    assert "1 new" in told(repository, "learn", "import", str(pack))
    (stranger,) = [each for each in listed(repository) if each["learning"]["trust"] == "external"]
    assert stranger["status"] == "candidate"
    assert "a link" in stranger["learning"]["alarms"]
    id_ = stranger["learning"]["id"]
    assert "active" in told(repository, "learn", "approve", id_)
    assert "retired" in told(repository, "learn", "retire", "--source", "pack:team.jsonl")
    assert "active" in told(repository, "learn", "approve", id_)
    merged = told(repository, "learn", "merge", id_, "--into", known["learning"]["id"])
    assert known["learning"]["id"] in merged
    assert "superseded by: " + known["learning"]["id"] in told(repository, "learn", "show", id_)
    assert repository.setpoint("learn", "show", "nothing").returncode == 2


@pytest.mark.timeout(400)  # one run and a dozen verbs
def test_what_git_shows_of_a_delivery_is_recorded(repository):
    repository.agent([{"write": "calc.py", "text": RIGHT}])
    _, run = repository.run("--agent", "actor", **ALL_SHOWN)
    repository.git("checkout", "-q", run["branch"])
    repository.write("calc.py", RIGHT + "\n\nLIMIT = 3\n")
    repository.commit("a limit")
    repository.git("checkout", "-q", "-")
    assert "no feedback yet" in told(repository, "finding", "feedback")
    repository.git("merge", "-q", run["branch"])
    told(repository, "metrics")  # on the way to something else
    assert "was edited (calc.py)" in told(repository, "show", "log", run["trace_id"])
    work = repository.git("rev-parse", f"{run['branch']}~1")
    repository.git("commit", "-q", "--allow-empty", "-m", f"Revert\n\nThis reverts commit {work}.")
    shown = told(repository, "finding", "feedback")
    assert "was reverted" in shown
    assert told(repository, "finding", "feedback") == shown
