"""Every call of a model is counted by the proxy, and the run stops within one call of its limit."""

import json
import sys

from acceptance.conftest import RIGHT
from setpoint.testing.model_server import Scenario, scripted_model

# An answer of this model says 1000 tokens in and 50 out: at these prices it costs $0.40.
PRICED = "[price.scripted]\ninput = 300\noutput = 2000\n"
CALLER = """import json, os, urllib.request
body = json.dumps({"model": "scripted", "stream": True, "messages": []}).encode()
url = os.environ["MODEL_URL"] + "/chat/completions"
headers = {"authorization": "Bearer key-that-is-secret"}
print(urllib.request.urlopen(urllib.request.Request(url, body, headers)).read().decode())
"""


def calling(repository, model, *, proxy, times=8):
    """Make an agent that calls a model at the address it is given, several times."""
    (repository.root.parent / "caller.py").write_text(CALLER)
    ask = {"shell": f"{sys.executable} {repository.root.parent / 'caller.py'}"}
    steps = [step for _ in range(times) for step in (ask, {"sleep": 0.3})]
    repository.agent([*steps[:-1], {"write": "calc.py", "text": RIGHT}], settings=PRICED)
    own = {
        "proxy": proxy,
        "base_urls": {"MODEL_URL": ""},
        "environment": {"MODEL_URL": f"{model.url}/v1"},
    }
    return {"SETPOINT_AGENT": json.dumps({"actor": own})}


def events(repository, kind):
    shown = json.loads(repository.setpoint("show", "--json").stdout)
    return [event["body"] for event in shown if event["body"]["kind"] == kind]


def test_the_run_stops_within_one_call_of_its_limit(repository):
    with scripted_model(Scenario()) as model:
        settings = calling(repository, model, proxy=True)
        code, outcome = repository.run("--agent", "actor", "--max-cost", "1", **settings)
    assert (code, outcome["ending"], outcome["halt"]["guard"]) == (11, "stopped", "max_cost_usd")
    assert len(model.asked) in (3, 4)
    assert len(events(repository, "model.called")) == len(model.asked)
    assert outcome["cost_shown"].endswith("(counted by the proxy, priced by your settings)")


def test_each_call_is_an_event_without_keys_or_texts(repository):
    with scripted_model(Scenario()) as model:
        settings = calling(repository, model, proxy=True, times=2)
        code, outcome = repository.run("--agent", "actor", **settings)
    assert (code, outcome["mark"], outcome["cost_usd"]) == (0, "IMPLEMENTATION_VERIFIED", "0.8")
    calls = [each["call"] for each in events(repository, "model.called")]
    assert [(call["api"], call["model"], call["status"]) for call in calls] == [
        ("openai-chat", "scripted", 200)
    ] * 2
    assert [(call["input_tokens"], call["output_tokens"], call["cost_usd"]) for call in calls] == [
        (1000, 50, "0.4")
    ] * 2
    assert "secret" not in json.dumps(calls)
    assert model.asked[0].body["model"] == "scripted"


def test_without_it_the_agent_goes_straight_and_the_cost_is_unknown(repository):
    with scripted_model(Scenario()) as model:
        settings = calling(repository, model, proxy=False, times=1)
        code, outcome = repository.run("--agent", "actor", **settings)
    assert (code, outcome["cost_shown"], len(model.asked)) == (0, "unknown", 1)
    assert events(repository, "model.called") == []
