"""Runs are looked back on by a model and by a coding agent, as settings ask; money bounds them."""

import json

import pytest

from acceptance.conftest import RIGHT
from agents.model_api.apis import serving

CANARY = "ghp_" + "Q7" * 18
LEARNT = {
    "learnings": [
        {
            "kind": "procedural",
            "title": "Sums are built with plus in calc.py",
            "body": f"Use a + b. Found beside {CANARY}.",
            "context": "sum add calc",
            "confidence": 0.9,
        }
    ]
}
MAKES = [{"write": "calc.py", "text": RIGHT}, {"cost": 0.5}]


def model(url):
    return f'[agent.thinker]\nprotocol = "model"\nmodel = "openai:x"\nbase_url = "{url}/v1"\n'


def bodies(repository):
    return [event["body"] for event in json.loads(repository.setpoint("show", "--json").stdout)]


@pytest.mark.timeout(400)  # one run and four verbs
def test_a_model_looks_back_and_is_not_believed_on_its_word(repository):
    with serving("I would say...", ("answer", LEARNT)) as thinks:
        repository.agent(MAKES, settings='[agents]\nreflector = "thinker"\n' + model(thinks.url))
        code, run = repository.run("--agent", "actor")
        assert code == 0
        asked = json.dumps([body for _, body, _ in thinks.asked])
    assert "assert" in asked
    (answered,) = [body for body in bodies(repository) if body["kind"] == "reflection.answered"]
    assert answered["agent"] == "thinker"
    shown = repository.setpoint("show", "log", run["trace_id"]).stdout
    assert "reflection by thinker: 2 learnings to review" in shown
    known = json.loads(repository.setpoint("learn", "list", "--json").stdout)
    (by_model,) = [each for each in known if each["learning"]["by"] == "thinker"]
    assert (by_model["status"], by_model["learning"]["believed"]) == ("candidate", 0.65)
    assert CANARY not in json.dumps(known)
    assert "[redacted github" in by_model["learning"]["body"]
    pack = repository.setpoint("learn", "export", "--candidates").stdout
    assert "Sums are built with plus" in pack
    assert CANARY not in pack


def with_reflector(repository):
    """Give the repository a maker, and a coding agent that looks back."""
    repository.agent(MAKES, settings='[agents]\nreflector = "other"\n')
    text = (repository.root / "setpoint.toml").read_text()
    own = text[text.index("[agent.actor]") :].replace("[agent.actor]", "[agent.other]")
    said = [{"expect": "learnings"}, {"say": json.dumps(LEARNT)}]
    (repository.root.parent / "other.json").write_text(json.dumps({"prompts": [said]}))
    repository.write("setpoint.toml", text + own.replace("actor.json", "other.json"))
    repository.commit("a reflector")


@pytest.mark.timeout(400)  # two runs and three verbs
def test_any_agent_may_reflect_and_without_money_it_is_skipped_and_said(repository):
    with_reflector(repository)
    code, _ = repository.run("--agent", "actor")
    assert code == 0
    known = json.loads(repository.setpoint("learn", "list", "--json").stdout)
    assert [each["learning"]["by"] for each in known].count("other") == 1

    code, _ = repository.run("--agent", "actor", SETPOINT_MEMORY__MAX_REFLECTION_SHARE="0.001")
    (skipped,) = [body for body in bodies(repository) if body["kind"] == "reflection.skipped"]
    assert "of the run's cost allows" in skipped["reason"]
