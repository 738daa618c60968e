"""Several agents try the same work: the best by evidence is delivered, and nothing of the others is lost."""

import json
import sys

from acceptance.conftest import RIGHT, TESTS, WISH

WRONG = "def add(a, b):\n    return a * b + 1\n"


def players(repository, **steps):
    """Give the repository agents that each play their steps."""
    text = ""
    for name, prompts in steps.items():
        path = repository.root.parent / f"{name}.json"
        path.write_text(json.dumps({"prompts": prompts}), encoding="utf-8")
        argv = json.dumps([sys.executable, "-m", "setpoint.agents.scripted", str(path)])
        text += f'[agent.{name}]\nprotocol = "acp"\ncommand = {argv}\n'
    repository.write("setpoint.toml", text)
    repository.commit("settings")


def edit(text, cost):
    return [{"cost": cost}, {"write": "calc.py", "text": text}]


def test_of_three_the_right_and_cheap_one_is_delivered(repository):
    players(repository, wrong=[edit(WRONG, 0.01)], dear=[edit(RIGHT, 0.9)], cheap=[edit(RIGHT, 0.2)])
    code, outcome = repository.run("--agents", "wrong,dear,cheap")
    assert (code, outcome["ending"], outcome["iterations"]) == (0, "verified", 1)
    assert float(outcome["cost_usd"]) == 1.11
    assert repository.git("show", f"{outcome['branch']}:calc.py") == RIGHT.strip()

    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    (chosen,) = [body for body in bodies if body["kind"] == "candidate.chosen"]
    assert [each["agent"] for each in chosen["standings"]] == ["cheap", "dear", "wrong"]
    assert chosen["reason"] == "candidate 3 (cheap) is as good and costs less than candidate 2 (dear)"
    assert "tests" in chosen["standings"][2]["failing"]
    assert chosen["standings"][2]["red"] > 0
    made = {body["agent"]: body["snapshot"] for body in bodies if body["kind"] == "candidate.made"}
    vault = repository.root / ".setpoint" / "snapshots" / f"{outcome['trace_id']}.git"
    for name, text in (("wrong", WRONG), ("dear", RIGHT)):
        kept = repository.git(f"--git-dir={vault}", "show", f"{made[name]['commit']}:calc.py")
        assert kept == text.strip()
    report = (repository.root / ".setpoint" / "runs" / outcome["trace_id"] / "report.md").read_text()
    assert "candidates of iteration 1" in report
    assert "wrong, dear, cheap" in report
    assert repository.git("status", "--porcelain") == ""


def test_what_a_candidate_did_to_a_protected_test_counts_against_it(repository):
    cheats = [
        {"cost": 0.01},
        {"write": "tests/test_calc.py", "text": TESTS.replace("== 5", "== -1")},
        {"write": "calc.py", "text": RIGHT},
    ]
    players(repository, cheat=[cheats], honest=[edit(RIGHT, 0.5)])
    code, outcome = repository.run("--agents", "cheat,honest", "--integrity", "read-only")
    assert (code, outcome["ending"]) == (0, "verified")
    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    made = {body["agent"]: body["snapshot"] for body in bodies if body["kind"] == "candidate.made"}
    assert made["cheat"]["restored"] == ["tests/test_calc.py"]
    (chosen,) = [body for body in bodies if body["kind"] == "candidate.chosen"]
    assert chosen["reason"] == ("candidate 2 (honest) changed fewer protected files than candidate 1 (cheat)")


def test_several_attempts_of_one_agent(repository):
    players(repository, actor=[edit(RIGHT, 0.1)])
    done = repository.setpoint("run", WISH, "--agent", "actor", "--attempts", "2")
    assert done.returncode == 0, done.stderr
    assert "candidates: actor, actor (2 at once)" in done.stdout
    assert "candidate 1 (actor) is as good and comes first, before candidate 2 (actor)" in done.stdout


def test_one_agent_and_several_exclude_each_other(repository):
    done = repository.setpoint("run", WISH, "--agent", "mechanic", "--agents", "rules,mechanic")
    assert done.returncode == 2
    assert "--agent and --agents exclude each other" in done.stderr
