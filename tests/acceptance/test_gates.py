"""A run that a guard stops asks a person: answered from another process, while no process drives it."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from acceptance.conftest import ASKING, RIGHT, WISH
from setpoint.cli.people.answer import MOST
from setpoint.model.gate import MOST_GRANTED

FIX = {"write": "calc.py", "text": RIGHT}
FRESH = "def add(a, b):\n    return {}\n"
ONE = "[limits]\nmax_iterations = 1\n"


def wrong(expression):
    return [{"write": "calc.py", "text": FRESH.format(expression)}]


def stopped(repository, *prompts, settings=ONE, **script):
    """Run until a person is asked; gives what was printed as JSON."""
    repository.agent(*prompts, settings=settings, **script)
    done = repository.setpoint("run", WISH, "--agent", "actor", "--json", **ASKING)
    assert (done.returncode, done.stdout[:1]) == (10, "{"), done.stderr
    return json.loads(done.stdout)


def told(repository, *words):
    return json.loads(repository.setpoint(*words, "--json").stdout)


def kinds(repository):
    return [event["body"]["kind"] for event in told(repository, "show")]


def test_a_gate_is_answered_from_another_process_and_the_run_ends_verified(repository):
    asked = stopped(repository, wrong("a * b"), [{"expect": "Mind the sign."}, FIX], counter="count")
    run = asked["trace_id"]

    (row,) = told(repository, "status")
    assert (row["state"], row["process"], row["waits_for"]) == (
        "waiting",
        None,
        "1 of 1 iterations are used up",
    )
    (listed,) = told(repository, "answer")
    assert listed["commands"]["continue"] == f"setpoint answer continue 3 {run}"
    progress = json.loads((Path(asked["folder"]) / "progress.json").read_text())
    assert progress["feedback_loop"]["status"] == "escalated"
    assert progress["run"]["waits_for"]["question"] == "1 of 1 iterations are used up"
    assert "setpoint answer continue 3" in (Path(asked["folder"]) / "report.md").read_text()

    shown = repository.setpoint("status").stdout
    assert f"{run} waits for a person: 1 of 1 iterations are used up" in shown
    assert f"setpoint answer continue 3 {run}" in repository.setpoint("show").stdout

    again = repository.setpoint("resume")
    assert (again.returncode, "setpoint answer accept" in again.stdout) == (10, True)

    answered = repository.setpoint("answer", "continue", "2", "--instruct", "Mind the sign.")
    assert (answered.returncode, f"setpoint resume {run}" in answered.stdout) == (0, True)
    assert told(repository, "status")[0]["state"] == "interrupted"

    done = repository.setpoint("resume", "--json")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["mark"], outcome["iterations"]) == (0, "IMPLEMENTATION_VERIFIED", 2)
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()
    order = [kind for kind in kinds(repository) if kind.startswith(("gate.", "run."))]
    assert order == [
        "run.started",
        "gate.requested",
        "gate.answered",
        "run.resumed",
        "run.delivered",
        "run.finished",
    ]


def test_the_first_answer_counts(repository):
    run = stopped(repository, wrong("a * b"))["trace_id"]

    first = repository.setpoint("answer", "cancel", run, "--reason", "no longer wanted")
    second = repository.setpoint("answer", "accept", run)

    assert first.returncode == 0
    assert second.returncode == 2
    assert "answered already (cancel, by " in second.stderr
    done = repository.setpoint("resume", "--json")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["ending"]) == (12, "cancelled")
    assert "no longer wanted" in outcome["reason"]


def test_accepted_work_carries_its_debts(repository):
    repository.write("TECH_DEBT.md", "# Ours\n\n- an old one\n")
    repository.commit()
    run = stopped(repository, wrong("a * b"))["trace_id"]

    done = repository.setpoint("answer", "accept", run[:8], "--reason", "for the demo", "--go", "--json")

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["ending"], outcome["mark"]) == (0, "accepted", "")
    branch = outcome["branch"]
    debts = repository.git("show", f"{branch}:TECH_DEBT.md")
    assert debts.startswith("# Ours\n\n- an old one\n\n## 20")
    assert "tests/test_calc.py::test_add fails" in debts
    assert "[evidence ev-" in debts
    assert "for the demo" in debts
    message = repository.git("log", "-1", "--format=%B", f"{branch}~1")
    assert "not verified: accepted as it is by" in message
    assert "tests/test_calc.py::test_add fails" in message
    assert repository.git("show", f"{branch}~1:TECH_DEBT.md") == "# Ours\n\n- an old one"
    assert repository.setpoint("verify").returncode == 0


@pytest.mark.parametrize(("on_limit", "code", "ending"), [("error", 11, "stopped"), ("skip", 12, "skipped")])
def test_a_story_may_say_that_nobody_is_asked(repository, on_limit, code, ending):
    repository.agent(wrong("a * b"), settings=ONE)
    repository.write("story.md", f"---\ntitle: {WISH}\non_limit: {on_limit}\n---\n")
    repository.commit()

    done = repository.setpoint("run", "story.md", "--agent", "actor", "--json", **ASKING)

    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["ending"], outcome["branch"]) == (code, ending, "")


def test_nobody_answers_in_time(repository):
    settings = f"{ONE}[escalation]\ndeadline_s = 6\nat_deadline = 'accept'\n"
    run = stopped(repository, wrong("a * b"), settings=settings)["trace_id"]
    (listed,) = told(repository, "answer")
    left = datetime.fromisoformat(listed["gate"]["deadline"]) - datetime.now(UTC)
    time.sleep(max(0.0, left.total_seconds()))

    late = repository.setpoint("answer", "cancel", run)
    assert (late.returncode, "the deadline of gate escalation-1 has passed" in late.stderr) == (2, True)
    done = repository.setpoint("resume", "--json")

    assert (done.returncode, json.loads(done.stdout)["ending"]) == (0, "accepted")
    assert "gate.expired" in kinds(repository)


def test_a_story_past_its_deadline_is_not_begun(repository):
    repository.agent(wrong("a * b"))
    yesterday = datetime.now(UTC) - timedelta(days=1)
    repository.write("story.md", f"---\ntitle: {WISH}\ndeadline: {yesterday:%Y-%m-%dT%H:%M:%SZ}\n---\n")
    repository.commit()

    done = repository.setpoint("run", "story.md", "--agent", "actor")

    assert (done.returncode, "deadline" in done.stderr) == (2, True)


def test_answers_that_cannot_be_given_say_why(repository):
    assert "no run waits for a person" in repository.setpoint("answer", "accept").stderr
    run = stopped(repository, wrong("a * b"))["trace_id"]

    for words, reason in (
        (("approve", run), "'approve' does not answer"),
        (("continue", "1", run, "--cost", "much"), "US dollars"),
    ):
        done = repository.setpoint("answer", *words)
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr
    assert told(repository, "status")[0]["state"] == "waiting"


def test_the_verb_allows_what_the_values_allow():
    assert MOST == MOST_GRANTED
