"""A test contradicts what is wanted: the maker asks, a person decides elsewhere, and the answer counts."""

import json

from acceptance.conftest import ASKING, BUG, TESTS

TEST = "tests/test_calc.py"
WISH = "make add() subtract, as its failing test does not say yet"
NEW = TESTS.replace("add(2, 3) == 5", "add(2, 3) == -1")
ASKS = {"say": "REQUEST tests/test_calc.py: the story wants add() to subtract, and this test wants a sum"}


def asked(repository):
    repository.agent(
        [{"write": "calc.py", "text": BUG + "# as wanted\n"}, ASKS],
        [{"expect": f"a person allowed it: `{TEST}`"}, {"write": TEST, "text": NEW}],
        counter="count",
    )
    done = repository.setpoint("run", WISH, "--agent", "actor", "--known-red", "fix", "--json", **ASKING)
    assert done.returncode == 10, done.stderr
    return json.loads(done.stdout)["trace_id"]


def test_a_person_allows_it_and_the_test_is_judged_as_the_maker_leaves_it(repository):
    run = asked(repository)

    shown = repository.setpoint("answer", "show", run)
    answered = repository.setpoint("answer", "approve", run, "--reason", "so it is")
    done = repository.setpoint("resume", "--json", **ASKING)
    outcome = json.loads(done.stdout)

    assert "the story wants add() to subtract" in shown.stdout
    assert answered.returncode == 0
    assert (done.returncode, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED")
    assert repository.git("show", f"{outcome['branch']}:tests/test_calc.py") == NEW.strip()
    assert "as a person allowed: tests/test_calc.py" in repository.setpoint("show", run).stdout
    verified = repository.setpoint("verify", run)
    assert verified.returncode == 0, verified.stdout


def test_a_person_refuses_and_the_test_stays(repository):
    run = asked(repository)

    repository.setpoint("answer", "reject", run, "--reason", "the test is right")
    done = repository.setpoint("resume", "--json", SETPOINT_LIMITS__MAX_AGENT_BREAKAGES="1")

    assert done.returncode != 0
    kinds = [event["body"] for event in json.loads(repository.setpoint("show", run, "--json").stdout)]
    (settled,) = [body for body in kinds if body["kind"] == "integrity.change_settled"]
    assert (settled["granted"], settled["reason"]) == (False, "the test is right")
