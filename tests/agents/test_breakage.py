from __future__ import annotations

import json

import pytest

from setpoint.agents import breakage
from setpoint.agents.launch import Launch
from setpoint.model.attempt import BreakageKind

LAUNCH = Launch(name="any", argv=("any", "--acp"), login="run `any login`")
ERRORS = {
    "the protocol's own code": (-32000, None, BreakageKind.AUTH),
    "a status as code": (429, None, BreakageKind.RATE_LIMIT),
    "a status in the data": (-32603, {"status": 401}, BreakageKind.AUTH),
    "a status as text": (-32603, {"statusCode": "429"}, BreakageKind.RATE_LIMIT),
    "a nested status": (-32603, {"error": {"details": [{"http_status": 403}]}}, BreakageKind.AUTH),
    "a provider's error name": (-32603, {"error": {"type": "rate_limit_error"}}, BreakageKind.RATE_LIMIT),
    "a status by name": (500, {"error": {"status": "RESOURCE_EXHAUSTED"}}, BreakageKind.RATE_LIMIT),
    "an object in a string": (-32603, {"details": json.dumps({"code": 401})}, BreakageKind.AUTH),
    "an overloaded model": (-32603, {"status": 503}, BreakageKind.OVERLOAD),
    "words alone decide nothing": (-32603, {"details": "429 rate limit; unauthorized"}, BreakageKind.MODEL),
    "a truth value is no number": (-32603, {"status": True}, BreakageKind.MODEL),
    "a method that is not there": (-32601, {"method": "session/prompt"}, BreakageKind.PROTOCOL),
    "no code at all": ("oops", None, BreakageKind.MODEL),
    "a limit as Codex names it": (
        -32603,
        {"message": "try again at 1:01 PM", "codexErrorInfo": "usageLimitExceeded"},
        BreakageKind.RATE_LIMIT,
    ),
    "a status in Codex's own word": (
        -32603,
        {"codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": 503}}},
        BreakageKind.OVERLOAD,
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_are_told_apart_by_structure(case: str) -> None:
    code, data, kind = ERRORS[case]
    assert breakage.of_error(LAUNCH, code, "429 login rate limit", data).kind is kind


def test_a_breakage_says_how_to_mend_it() -> None:
    assert "run `any login`" in breakage.of_error(LAUNCH, -32000, "no", None).message
    assert "any --acp" in breakage.protocol(LAUNCH, "sent nonsense", "<html>").message


def test_long_and_deep_data_is_cut() -> None:
    deep: object = {"status": 429}
    for _ in range(50):
        deep = {"in": deep}
    told = breakage.of_error(LAUNCH, -32603, "x" * 10_000, deep)
    assert told.kind is BreakageKind.MODEL
    assert len(told.message) < 1000


def test_an_error_that_is_nested_too_deeply_is_a_breakage_all_the_same() -> None:
    nested: object = None
    for _ in range(100_000):
        nested = [nested]
    for data in (nested, "[" * 100_000):
        assert breakage.of_error(LAUNCH, -32603, "oh", data).kind is BreakageKind.MODEL
