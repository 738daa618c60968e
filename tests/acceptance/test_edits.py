"""A person lets a run go on with a change of their own: it is part of what is measured, and a lesson."""

import json

import pytest

from acceptance.conftest import ASKING, BUG, RIGHT, TESTS, WISH

WRONG = "def add(a, b):\n    return a * b\n"
TEST = "tests/test_calc.py"


def diff(path, before, after):
    old, new = before.splitlines(), after.splitlines()
    lines = [f"--- a/{path}", f"+++ b/{path}", f"@@ -1,{len(old)} +1,{len(new)} @@"]
    return "\n".join([*lines, *(f"-{line}" for line in old), *(f"+{line}" for line in new), ""])


def events(repository, run):
    return [event["body"] for event in json.loads(repository.setpoint("show", run, "--json").stdout)]


@pytest.mark.timeout(400)  # one run and seven verbs
def test_a_run_goes_on_from_what_a_person_changed_and_learns_it(repository):
    repository.agent(
        [{"write": "calc.py", "text": WRONG}],
        [{"expect": "changed calc.py by hand"}, {"say": "Nothing to add."}],
        settings="[limits]\nmax_iterations = 1\n",
        counter="count",
    )
    asked = repository.setpoint("run", WISH, "--agent", "actor", "--json", **ASKING)
    run = json.loads(asked.stdout)["trace_id"]
    own = repository.root.parent / "own.diff"

    own.write_text(diff("calc.py", BUG, RIGHT))
    refused = repository.setpoint("answer", "continue", "1", run, "--edit", str(own))
    assert (refused.returncode, "does not fit" in refused.stderr) == (2, True), refused.stderr
    assert json.loads(repository.setpoint("answer", "--json").stdout)

    own.write_text(diff("calc.py", WRONG, RIGHT))
    backwards = repository.setpoint("answer", "continue", "1", run, "--new-approach", "--edit", str(own))
    assert (backwards.returncode, "it cannot include a change" in backwards.stderr) == (2, True)
    given = repository.setpoint("answer", "continue", "1", run, "--edit", str(own))
    assert given.returncode == 0, given.stderr
    done = repository.setpoint("resume", "--json", **ASKING)
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome.get("mark")) == (0, "IMPLEMENTATION_VERIFIED"), outcome
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()

    bodies = events(repository, run)
    (edited,) = [body for body in bodies if body["kind"] == "feedback.human_edited"]
    assert edited["files"] == ["calc.py"]
    assert edited["by"]
    assert "+    return a + b" in edited["diff"]
    reflected = [body for body in bodies if body["kind"] == "reflection.completed"]
    assert reflected[-1]["trigger"] == "human_overrode_decision"
    assert (
        "changed calc.py by hand"
        in repository.setpoint("finding", "feedback", "--gate", edited["gate"]).stdout
    )
    known = json.loads(repository.setpoint("learn", "list", "--json").stdout)
    (lesson,) = [each for each in known if "by hand" in each["learning"]["title"]]
    assert (lesson["status"], lesson["learning"]["trust"]) == ("active", "human")
    assert repository.git("status", "--porcelain") == ""


@pytest.mark.timeout(400)  # one run and four verbs
def test_a_request_is_approved_with_edits_of_the_test_itself(repository):
    wanted = TESTS.replace("add(2, 3) == 5", "add(2, 3) == -1")
    repository.agent(
        [
            {"write": "calc.py", "text": BUG + "# as wanted\n"},
            {"say": f"REQUEST {TEST}: the story wants add() to subtract, and this test wants a sum"},
        ],
        [
            {"expect": f"changed {TEST} by hand"},
            {"expect": "only this one"},
            {"say": "It stands there already."},
        ],
        counter="count",
    )
    wish = "make add() subtract, as its failing test does not say yet"
    settings = (repository.root / "setpoint.toml").read_text()
    repository.write("setpoint.toml", f'{settings}\n[proof]\nleast = "self"\n')
    repository.commit("the tests of the maker are enough")
    words = ("run", wish, "--agent", "actor", "--known-red", "fix", "--json")
    run = json.loads(repository.setpoint(*words, **ASKING).stdout)["trace_id"]
    path = repository.root.parent / "own.diff"
    path.write_text(diff(TEST, TESTS, wanted))
    given = repository.setpoint("answer", "approve", run, "--instruct", "only this one", "--edit", str(path))
    assert given.returncode == 0, given.stderr
    done = repository.setpoint("resume", "--json", **ASKING)
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome.get("ending")) == (0, "self_tested"), outcome
    assert repository.git("show", f"{outcome['branch']}:{TEST}") == wanted.strip()
    assert repository.setpoint("verify", run).returncode == 0
