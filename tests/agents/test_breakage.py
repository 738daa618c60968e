from __future__ import annotations

import json

import pytest

from setpoint.agents import breakage
from setpoint.agents.launch import Launch
from setpoint.agents.registry import shipped
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


GEMINI_OVERFLOW = (
    '{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens '
    'allowed (1048576).","status":"INVALID_ARGUMENT"}}'
)
OWN = {
    "claude, overflow": ("claude", -32603, "Internal error: Prompt is too long", None, BreakageKind.OVERFLOW),
    "claude, 529": (
        "claude",
        -32603,
        "Internal error: API Error: 529 no room. This is usually temporary",
        {"errorKind": "server_error"},
        BreakageKind.OVERLOAD,
    ),
    "claude, a stream that was cut": (
        "claude",
        -32603,
        "Internal error: API Error: Connection to the API was lost",
        {"errorKind": "server_error"},
        BreakageKind.OVERLOAD,
    ),
    "gemini, 401": (
        "gemini",
        401,
        '{"error":{"code":401,"status":"UNAUTHENTICATED"}}',
        None,
        BreakageKind.AUTH,
    ),
    "gemini, overflow": (
        "gemini",
        400,
        GEMINI_OVERFLOW,
        None,
        BreakageKind.OVERFLOW,
    ),
    "qwen, 401": ("qwen", -32603, "Internal error", {"details": "401 no key"}, BreakageKind.AUTH),
    "qwen, 429": ("qwen", -32603, "Internal error", {"details": "429 slow down"}, BreakageKind.RATE_LIMIT),
    "qwen, overflow": (
        "qwen",
        -32603,
        "Internal error",
        {"details": "400 This model's maximum context length is 128000 tokens."},
        BreakageKind.OVERFLOW,
    ),
    "qwen, another refusal": ("qwen", -32603, "Internal error", {"details": "400 no"}, BreakageKind.MODEL),
    "vibe, its own code for a refused key": ("vibe", -31002, "Invalid API key", None, BreakageKind.AUTH),
    "vibe, its own code for a limit": ("vibe", -31001, "Rate limited", None, BreakageKind.RATE_LIMIT),
    "vibe, overflow": (
        "vibe",
        -32603,
        (
            "Client error '400 Bad Request' for url 'http://localhost/v1/chat/completions'\n"
            "For more information check: https://localhost/400: This model's maximum context length is 9."
        ),
        None,
        BreakageKind.OVERFLOW,
    ),
    "copilot, 401": (
        "copilot",
        -32603,
        "Error: Authentication failed with provider at http://localhost/v1 (HTTP 401).",
        None,
        BreakageKind.AUTH,
    ),
    "copilot, overflow": (
        "copilot",
        -32603,
        "Error: 400 This model's maximum context length is 128000 tokens.",
        None,
        BreakageKind.OVERFLOW,
    ),
    "codex, its process": (
        "codex",
        1001,
        "The Codex app-server was killed by SIGKILL",
        {"exitCode": None, "signal": "SIGKILL", "restartable": True},
        BreakageKind.CRASH,
    ),
    "codex, words in the middle": (
        "codex",
        -32603,
        "the tests say: unexpected status 401 Unauthorized",
        None,
        BreakageKind.MODEL,
    ),
}
"""Errors as the real programs wrote them."""


@pytest.mark.parametrize("case", OWN)
def test_the_form_of_each_agent_counts_for_that_agent_alone(case: str) -> None:
    name, code, message, data, kind = OWN[case]
    assert breakage.of_error(shipped()[name], code, message, data).kind is kind
    if kind is not BreakageKind.CRASH and case.startswith("qwen"):
        assert breakage.of_error(LAUNCH, code, message, data).kind is BreakageKind.MODEL


@pytest.mark.parametrize(
    ("said", "error", "kind"),
    [
        ("unexpected status 529 <unknown>: no room, url: http://localhost", None, BreakageKind.OVERLOAD),
        ("exceeded retry limit, last status: 429 Too Many Requests", None, BreakageKind.RATE_LIMIT),
        (
            '{"error": {"message": "too long", "code": "context_length_exceeded"}}',
            None,
            BreakageKind.OVERFLOW,
        ),
        (
            "Reconnecting",
            {"codexErrorInfo": {"streamFailed": {"httpStatusCode": 429}}},
            BreakageKind.RATE_LIMIT,
        ),
        ("stream disconnected before completion", None, BreakageKind.MODEL),
    ],
)
def test_a_turn_that_failed_behind_a_completed_answer_is_named(
    said: str, error: object, kind: BreakageKind
) -> None:
    assert breakage.of_turn(shipped()["codex"], said, error).kind is kind


def test_what_an_agent_keeps_of_its_error_names_the_breakage() -> None:
    launch = shipped()["opencode"]
    untold = breakage.of_error(launch, -32603, "no", {"service": "session", "errorName": "APIError"})
    kept = {"name": "APIError", "data": {"statusCode": 429, "responseHeaders": {"retry-after": "20"}}}
    told = breakage.explained(launch, untold, kept)
    assert (untold.kind, told.kind, told.status, told.wait_s) == (
        BreakageKind.MODEL,
        BreakageKind.RATE_LIMIT,
        429,
        20.0,
    )
    assert breakage.explained(launch, untold, None) == untold
    assert "the provider of the model may be down" in untold.message
    assert "may be down" not in told.message
    assert "rate_limit with status 429; wait until the limit is lifted" in told.message


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


@pytest.mark.parametrize(
    ("agent", "said", "kind"),
    [
        ("claude", "Internal error: Not logged in \N{MIDDLE DOT} Please run /login", BreakageKind.AUTH),
        ("codex", "Missing environment variable: `LOCAL_KEY`.", BreakageKind.AUTH),
        ("claude", "The user is Not logged in", BreakageKind.MODEL),
        ("gemini", "Not logged in", BreakageKind.MODEL),
    ],
)
def test_an_agent_that_says_that_it_has_no_login_is_believed(
    agent: str, said: str, kind: BreakageKind
) -> None:
    broken = breakage.of_error(shipped()[agent], -32603, said, None)
    assert (broken.kind, broken.said) == (kind, said)
