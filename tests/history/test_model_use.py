"""Calls of models are told apart by the role of who made them, and by whether they were work at all."""

import pytest

from history.report_runs import review, verified_run
from setpoint.history.model_use import use_in_words
from setpoint.history.replay import history
from setpoint.history.reports.run_report import html, markdown
from setpoint.model.attempt import ModelCall, Usage
from setpoint.model.events.hidden_tests import HiddenTestsWritten
from setpoint.model.events.run import AgentSpent, ModelCalled

CALL = ModelCall(api="anthropic", path="/v1/messages", status=200, duration_s=1.0, tools=True)


def called(phase, tokens, **more):
    call = CALL.model_copy(update={"input_tokens": tokens, "output_tokens": 1, **more})
    return ModelCalled(phase=phase, iteration=1, label=f"{phase}-1", attempt=1, call=call)


@pytest.fixture
def with_calls(tmp_path):
    def make(*bodies):
        events = verified_run(tmp_path)
        last = events[-1]
        more = [
            last.model_copy(update={"seq": last.seq + n, "key": f"c{n}", "body": b})
            for n, b in enumerate(bodies, 1)
        ]
        return (*events, *more)

    return make


def test_the_calls_of_the_maker_are_told_apart_from_all_others(with_calls):
    events = with_calls(
        called("implement", 99),
        called("review", 49),
        called("implement", 199),
        called("implement", 9, tools=False),
        called("implement", None, api="other", tools=None),
    )
    calls, tokens = "4 (maker 2, reviewer 1, other 1)", "360 (maker 300, reviewer 50, other 10)"

    assert use_in_words(history(events), events) == {
        "model calls": calls,
        "tokens": tokens,
        "dollars": "0.75 (maker 0.75)",
    }
    assert f"- model calls: {calls}\n- tokens: {tokens}\n" in markdown(events)
    assert calls in html(events)


def test_where_no_call_has_tools_all_are_the_work_of_their_role(with_calls):
    events = with_calls(called("implement", 99, tools=False), called("seal", 9, tools=None))

    assert use_in_words(history(events), events)["model calls"] == "2 (maker 1, test designer 1)"


def test_tokens_that_agents_tell_are_told_by_role_where_no_proxy_counts(with_calls):
    usage = Usage(input_tokens=50, output_tokens=2, cost_usd="0.25", duration_s=7.4)
    answered = review(2).model_copy(update={"usage": usage})
    hidden = HiddenTestsWritten(
        design=1, agent="claude", usage=Usage(input_tokens=8, cost_usd="0.02", duration_s=5)
    )
    spent = AgentSpent(label="implement-3", attempt=1, usage=Usage(input_tokens=5))
    events = with_calls(answered, hidden, spent)

    told = use_in_words(history(events), events)

    assert told == {
        "tokens": "95 (maker 30, reviewer 52, test designer 8, lost or under way 5)",
        "agents' seconds": "12 (reviewer 7, test designer 5)",
        "dollars": "1.02 (maker 0.75, reviewer 0.25, test designer 0.02)",
    }
    assert "Model calls" not in markdown(events)
