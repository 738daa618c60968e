"""Whole runs with a reviewer that objects, as a user starts them."""

import json

from acceptance.conftest import ASKING, RIGHT, WISH

NAMED = "a number that is written as text is not added"
TEXT = "import calc\n\n\ndef test_secret_text():\n    assert calc.add('1', 2) == 3\n"
WRONG = {"severity": "error", "category": "correctness", "file": "calc.py", "message": NAMED}
SHOWN = {**WRONG, "severity": "warning", "reproduction": {"path": "tests/test_text.py", "text": TEXT}}
MORE = "def add(a, b):\n    return int(a) + int(b)\n"
APPROVES = {"decision": "approve", "findings": []}


def objects(finding):
    return {"decision": "request_changes", "findings": [finding]}


def cast(repository, made, *answers, before=()):
    """Give the repository a maker and a reviewer that answer one prompt after another."""
    repository.players('[agents]\nmaker = "actor"\nreviewer = "critic"\n', actor=[], critic=[])
    critic = [[*before, {"say": json.dumps(each)}] for each in answers]
    actor = [[{"write": "calc.py", "text": each}] for each in made]
    for name, prompts in (("actor", actor), ("critic", critic)):
        script = {"prompts": prompts, "counter": f"played/{name}"}
        (repository.root.parent / f"{name}.json").write_text(json.dumps(script), encoding="utf-8")


def events(repository, kind):
    bodies = [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]
    return [body for body in bodies if body["kind"] == kind]


def test_a_reproduced_objection_is_mended_and_its_test_stays_hidden(repository):
    looks = [
        {"write": "scratch.py", "text": "left = 1\n"},
        {"shell": "python -c 'import calc; assert calc.add(1, 2) == 3'"},
    ]
    cast(repository, [RIGHT, MORE], objects(SHOWN), APPROVES, before=looks)

    done = repository.setpoint("run", WISH, "--json")
    outcome = json.loads(done.stdout)

    assert (done.returncode, outcome["ending"], outcome["iterations"]) == (0, "verified", 2), done.stderr
    first, second = events(repository, "review.completed")
    assert first["verdict"]["findings"][0]["severity"] == "error"
    assert "reproduced by Setpoint: TypeError" in first["verdict"]["findings"][0]["detail"]
    assert second["verdict"]["approved_by"] == ["critic"]
    calls = [body["call"] for body in events(repository, "tool.executed") if "review" in body["label"]]
    assert [each["ok"] for each in calls if each["kind"] == "execute"] == [True, True]
    proof = events(repository, "proof.measured")[-1]["proof"]
    assert [each["path"] for each in proof["vouched"]["hidden"]] == ["tests/test_text.py"]
    assert proof["vouched"]["reviewers"] == ["critic"]
    files = repository.git("ls-tree", "-r", "--name-only", outcome["branch"]).splitlines()
    assert not {"scratch.py", "tests/test_text.py"} & set(files)
    started = events(repository, "agent.started")
    kept = repository.root / ".setpoint" / "artifacts"
    prompts = [(kept / each["prompt"][:2] / each["prompt"][2:]).read_text() for each in started]
    assert NAMED in prompts[1]
    assert "test_secret_text" not in "".join(prompts)


def test_an_error_that_nothing_reproduces_ends_unproven_where_nobody_is_asked(repository):
    cast(repository, [RIGHT, f"{RIGHT}\n"], *[objects(WRONG)] * 2)

    done = repository.setpoint("run", WISH, "--json")
    outcome = json.loads(done.stdout)

    assert (done.returncode, outcome["ending"], outcome["iterations"]) == (13, "unproven", 2), done.stderr
    assert f"reports again what the maker knows and nothing reproduces: {NAMED}" in outcome["reason"]


def test_a_person_dismisses_an_objection_and_the_work_is_verified(repository):
    cast(repository, [RIGHT, f"{RIGHT}\n"], *[objects(WRONG)] * 2)
    asked = json.loads(repository.setpoint("run", WISH, "--json", **ASKING).stdout)
    (opened,) = json.loads(repository.setpoint("answer", "--json").stdout)
    assert opened["commands"]["dismiss"] == f"setpoint answer dismiss {asked['trace_id']} --because 'WHY'"

    without = repository.setpoint("answer", "dismiss", asked["trace_id"])
    assert (without.returncode, "needs a reason" in without.stderr) == (2, True)
    repository.setpoint("answer", "dismiss", asked["trace_id"], "--because", "two are enough")
    done = repository.setpoint("resume", asked["trace_id"], "--json", **ASKING)
    outcome = json.loads(done.stdout)

    assert (done.returncode, outcome["ending"], outcome["iterations"]) == (0, "verified", 2), done.stderr
    assert len(events(repository, "agent.finished")) == 2


def test_who_asks_for_a_person_is_answered_that_the_objection_is_wrong(repository):
    cast(repository, [RIGHT], {"decision": "require_human", "findings": [WRONG]})
    asked = json.loads(repository.setpoint("run", WISH, "--json", **ASKING).stdout)
    (opened,) = json.loads(repository.setpoint("gate", "list", "--json").stdout)
    assert opened["gate"]["question"] == f"code:critic wants a person to decide: {NAMED}"
    assert (opened["asker"], opened["words"]) == ("reviewer critic", [])
    assert [each["message"] for each in opened["findings"]] == [NAMED]

    repository.setpoint("gate", "dismiss", asked["trace_id"], "--because", "two are enough")
    done = repository.setpoint("resume", asked["trace_id"], "--json", **ASKING)
    outcome = json.loads(done.stdout)

    assert (done.returncode, outcome["ending"], outcome["iterations"]) == (0, "verified", 1), done.stderr
    assert len(events(repository, "agent.finished")) == 1
