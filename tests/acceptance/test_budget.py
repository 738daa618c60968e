"""A run stops within one tool call of its limit, whoever tells what is spent."""

import json

import pytest

from acceptance.conftest import RIGHT

STEP = {"call": {"name": "bash", "title": "make", "ok": True}}
PAUSE = {"sleep": 0.4}
QUIRKS = {"SETPOINT_AGENT": json.dumps({"actor": {"quirks": {"update_meta": "scripted.tokens"}}})}
PRICED = '[price."big-*"]\ninput = 10\noutput = 50\n'


def told(cost, times):
    return [step for _ in range(times) for step in (STEP, {"cost": cost}, PAUSE)]


def counted(read, written, times):
    tokens = {"tokens": {"input": read, "output": written}}
    return [step for _ in range(times) for step in (STEP, tokens, PAUSE)]


def events(repository, kind):
    shown = json.loads(repository.setpoint("show", "--json").stdout)
    return [event["body"] for event in shown if event["body"]["kind"] == kind]


def test_an_agent_that_tells_dollars_is_stopped_in_flight(repository):
    repository.agent(told(0.3, times=12), [{"write": "calc.py", "text": RIGHT}])

    code, outcome = repository.run("--agent", "actor", "--max-cost", "1")

    assert (code, outcome["ending"], outcome["halt"]["guard"]) == (11, "stopped", "max_cost_usd")
    assert len(events(repository, "tool.executed")) in (4, 5)
    assert outcome["cost_shown"].endswith("(told by the agent)")
    marks = [(each["budget"], each["share"]) for each in events(repository, "budget.warned")]
    assert marks == [("cost", 0.5), ("cost", 0.8)]


def test_an_agent_that_tells_tokens_is_stopped_at_the_users_price(repository):
    # 20000 in and 4000 out at $10 and $50 a million are $0.40 a call.
    repository.agent(counted(20_000, 4000, times=12), settings=PRICED, model="big-one")

    code, outcome = repository.run("--agent", "actor", "--max-cost", "1", **QUIRKS)

    assert (code, outcome["ending"], outcome["halt"]["guard"]) == (11, "stopped", "max_cost_usd")
    assert len(events(repository, "tool.executed")) in (3, 4)
    assert outcome["cost_shown"].endswith("(tokens told by the agent, priced by your settings)")


def test_tokens_of_unknown_cost_are_bounded_by_their_number(repository):
    repository.agent(counted(20_000, 4000, times=12), settings="[limits]\nmax_tokens = 70000\n")

    code, outcome = repository.run("--agent", "actor", **QUIRKS)
    assert (code, outcome["ending"], outcome["halt"]["guard"]) == (11, "stopped", "max_tokens")
    assert len(events(repository, "tool.executed")) in (3, 4)
    assert (outcome["cost_shown"], outcome["cost_known"]) == ("unknown", False)


def test_a_reviewer_is_stopped_in_flight_too(repository):
    repository.agent([{"write": "calc.py", "text": RIGHT}, {"cost": 0.5}])
    script = repository.root.parent / "reviewer.json"
    script.write_text(json.dumps({"prompts": [told(0.2, times=12)] * 3}))
    agent = {"protocol": "acp", "command": [*repository.command(), str(script)]}
    settings = {"SETPOINT_AGENT": json.dumps({"critic": agent}), "SETPOINT_AGENTS__REVIEWER": "critic"}

    code, outcome = repository.run("--agent", "actor", "--max-cost", "1", **settings)

    assert (code, outcome["ending"], outcome["halt"]["guard"]) == (11, "stopped", "max_cost_usd")
    reviewed = [each for each in events(repository, "tool.executed") if each["phase"] == "review"]
    assert len(reviewed) in (3, 4)


@pytest.mark.parametrize("limits", [{"max_cost_usd": "0.3"}])
def test_a_try_that_broke_is_not_made_again_without_money(repository, limits):
    dying = [{"cost": 0.4}, {"die": 7}]
    repository.agent(dying, dying, settings=f"[limits]\nmax_cost_usd = {limits['max_cost_usd']}\n")

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["halt"]["guard"]) == (11, "max_cost_usd")
    assert len(events(repository, "agent.started")) == 1
