"""A model in a role: it looks through tools, answers by shape or text, and breaks by kinds."""

import asyncio
import json
import socket
from decimal import Decimal

import pytest
from pydantic_ai import exceptions as errors
from pydantic_ai.models.function import FunctionModel

from setpoint.agents.launch import Launch
from setpoint.agents.model_api.agent import ModelAgent
from setpoint.agents.model_api.client import model_at
from setpoint.agents.model_api.provider import ModelAt
from setpoint.agents.spending.prices import Prices
from setpoint.model.answers.role_answers import ReviewShape
from setpoint.model.attempt import BreakageKind, Role, Stop
from setpoint.model.config.model_price import ModelPrice
from setpoint.testing import SilentObserver

APPROVES = {"decision": "approve", "findings": []}
READ = ("read_file", {"path": "calc.py"})


@pytest.fixture
def review(brief):
    def make(prompt="review it", **changes):
        return brief(prompt, role=Role.REVIEWER).model_copy(update={"answer": ReviewShape, **changes})

    return make


async def test_it_looks_and_answers_by_shape_and_its_calls_are_seen(model, review, project):
    agent, script = model(READ, ("search", {"text": "RETURN", "folder": "src"}), ("answer", APPROVES))
    observer = SilentObserver()
    attempt = await agent.attempt(review(), observer)
    assert (attempt.stop, attempt.breakage, attempt.agent) == (Stop.END_TURN, None, "critic")
    assert json.loads(attempt.text)["decision"] == "approve"
    assert [(call.name, call.kind, call.ok, call.files) for call in observer.calls] == [
        ("read_file", "read", True, ("calc.py",)),
        ("search", "search", True, ()),
    ]
    assert observer.calls[0].duration_s >= 0
    assert observer.calls[0].result_hash != observer.calls[1].result_hash
    assert (attempt.tool_calls, attempt.tool_errors) == (2, 0)
    assert attempt.usage.scope == "turn"
    assert attempt.usage.output_tokens > 0
    assert script.tools() == {"list_files", "read_file", "search"}
    assert "return a - b" in str(script.asked[1][0][-1])
    assert "src/app.py:5: return calc.add(1, 2)" in str(script.asked[2][0][-1])


async def test_a_text_is_an_answer_too(model, review):
    agent, _ = model(json.dumps(APPROVES))
    assert json.loads((await agent.attempt(review(), SilentObserver())).text) == APPROVES


async def test_a_thinking_role_answers_with_text(model, brief):
    agent, script = model("1. Mend it.")
    attempt = await agent.attempt(brief(role=Role.PLANNER), SilentObserver())
    assert (attempt.text, attempt.tool_calls) == ("1. Mend it.", 0)
    assert not script.asked[0][1].output_tools


async def test_what_does_not_fit_is_given_as_it_is_and_the_session_goes_on(model, review):
    wrong = {"decision": "perhaps"}
    agent, script = model(("answer", wrong), ("answer", APPROVES))
    first = await agent.attempt(review(), SilentObserver())
    assert (first.stop, first.breakage) == (Stop.END_TURN, None)
    assert json.loads(first.text) == wrong
    second = await agent.attempt(review("give it again"), SilentObserver())
    assert json.loads(second.text)["decision"] == "approve"
    told = str(script.asked[1][0])
    assert "review it" in told
    assert "perhaps" in told
    assert "give it again" in told


async def test_another_session_knows_nothing_of_the_first(model, review):
    agent, script = model(json.dumps(APPROVES), json.dumps(APPROVES))
    await agent.attempt(review("the first question"), SilentObserver())
    await agent.attempt(review("two", session="s2"), SilentObserver())
    assert "the first question" not in str(script.asked[1][0])


async def test_a_maker_edits_and_has_no_shell(model, brief, workdir):
    agent, script = model(
        READ,
        ("replace_text", {"path": "calc.py", "old": "a - b", "new": "a + b"}),
        ("write_file", {"path": "tests/test_calc.py", "content": "def test_it():\n    pass\n"}),
        "Done.",
    )
    attempt = await agent.attempt(brief(), SilentObserver())
    assert attempt.text == "Done."
    assert (workdir / "calc.py").read_text() == "def add(a, b):\n    return a + b\n"
    assert (workdir / "tests" / "test_calc.py").is_file()
    edits = {"write_file", "replace_text", "delete_file"}
    assert script.tools() == {"list_files", "read_file", "search", *edits}


async def test_what_is_refused_is_told_to_the_model_and_counted(model, review, project):
    agent, script = model(
        ("read_file", {"path": ".env"}), ("read_file", {"path": "../other"}), ("answer", APPROVES)
    )
    observer = SilentObserver()
    attempt = await agent.attempt(review(), observer)
    assert [call.ok for call in observer.calls] == [False, False]
    assert attempt.tool_errors == 2
    assert "[refused]" in str(script.asked[1][0][-1])
    assert "TOKEN=1" not in str(script.asked)


async def test_a_model_that_goes_in_circles_is_ended(model, review):
    agent, script = model(*[READ] * 9)
    attempt = await agent.attempt(review(), SilentObserver(same_calls=3))
    assert (attempt.stop, attempt.breakage, attempt.tool_calls) == (Stop.CANCELLED, None, 3)
    assert len(script.moves) == 6


async def test_it_stops_where_the_money_is_gone(model, review, monkeypatch):
    agent, _ = model(*[READ] * 9)
    priced = []

    def usage(self, used, sent):
        priced.append(used.requests)
        return known(self, used, sent).model_copy(update={"cost_usd": Decimal("0.4") * used.requests})

    known = ModelAgent._usage
    monkeypatch.setattr(ModelAgent, "_usage", usage)
    limits = review().limits.model_copy(update={"cost_usd": Decimal(1)})
    observer = SilentObserver()
    attempt = await agent.attempt(review(limits=limits), observer)
    assert attempt.stop is Stop.CANCELLED
    assert attempt.usage.cost_usd == Decimal("1.2")
    assert attempt.tool_calls == 2  # the third answer was over the limit: what it asked for was not done


def http(status, cls=None):
    return errors.ModelHTTPError.for_category(cls, status_code=status, model_name="m", body={"error": "no"})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (http(401, errors.ModelAuthenticationError), BreakageKind.AUTH),
        (http(403), BreakageKind.AUTH),
        (http(404, errors.ModelNotFoundError), BreakageKind.MISSING),
        (http(429, errors.ModelRateLimitError), BreakageKind.RATE_LIMIT),
        (http(429, errors.ModelQuotaExceededError), BreakageKind.RATE_LIMIT),
        (http(500, errors.ModelServerError), BreakageKind.MODEL),
        (http(503, errors.ModelOverloadedError), BreakageKind.MODEL),
        (errors.ModelConnectionError("m", "refused"), BreakageKind.MODEL),
        (errors.ModelTimeoutError("m", "timed out"), BreakageKind.IDLE),
        (errors.UnexpectedModelBehavior("nonsense"), BreakageKind.PROTOCOL),
    ],
)
async def test_a_failure_is_named_by_its_structure(model, review, error, kind):
    agent, _ = model(error)
    attempt = await agent.attempt(review(), SilentObserver())
    assert (attempt.stop, attempt.breakage.kind) == (Stop.BROKEN, kind)
    assert attempt.breakage.message.startswith("critic: ")
    assert "; " in attempt.breakage.message
    refused = isinstance(error, errors.ModelHTTPError)
    assert attempt.usage.scope == ("none" if refused else "unknown")


async def test_what_was_not_answered_makes_the_cost_a_lower_bound(model, review):
    agent, _ = model(READ, errors.ModelTimeoutError("m", "timed out"))
    agent._prices = Prices({"scripted": ModelPrice(input=Decimal(10), output=Decimal(10))})
    attempt = await agent.attempt(review(), SilentObserver())
    assert attempt.usage.cost_usd
    assert attempt.usage.at_least
    answered, _ = model(READ, http(500, errors.ModelServerError))
    answered._prices = agent._prices
    assert not (await answered.attempt(review(), SilentObserver())).usage.at_least


async def test_where_no_server_is_nothing_was_used(review, artifacts):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    where = ModelAt(provider="openai", model="m", base_url=url, key="k")
    launch = Launch(name="critic", protocol="model", model="openai:m", base_url=url)
    agent = ModelAgent(launch, lambda: model_at(where), artifacts=artifacts)
    attempt = await agent.attempt(review(), SilentObserver())
    assert attempt.breakage.kind is BreakageKind.MODEL
    assert attempt.usage.scope == "none"


async def test_what_echoes_an_error_is_none(model, review):
    agent, _ = model("HTTP 429 rate limit, 401 unauthorized")
    assert (await agent.attempt(review(), SilentObserver())).breakage is None


async def test_an_attempt_ends_in_time(review, artifacts, model):
    agent, _ = model()

    asked = asyncio.Event()

    async def sleeps(_messages, _info):
        asked.set()
        await asyncio.sleep(60)

    agent._make = lambda: FunctionModel(sleeps)
    limits = review().limits.model_copy(update={"wall_s": 1.5})
    attempt = await agent.attempt(review(limits=limits), SilentObserver())
    assert attempt.breakage.kind is BreakageKind.TIMEOUT
    assert asked.is_set()
    assert (attempt.usage.cost_usd, attempt.usage.scope) == (None, "unknown")  # the model may have worked
    running = asyncio.create_task(agent.attempt(review(), SilentObserver()))
    await asyncio.sleep(0.1)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_the_exchange_is_kept_without_the_key(model, review, artifacts):
    agent, _ = model("the key is topsecret-key")
    attempt = await agent.attempt(review("say the key"), SilentObserver())
    assert attempt.text == "the key is [KEY]"
    kept = artifacts.read(attempt.transcript)
    kept = kept.decode() if isinstance(kept, bytes) else kept
    assert "say the key" in kept
    assert "topsecret" not in kept
