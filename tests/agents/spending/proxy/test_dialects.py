"""What answers of models tell of tokens, in each dialect, whole and streamed, however they are cut."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.agents.spending.proxy.dialects import Counts, Reading, api_of, model_asked, offers_tools

CHAT = {
    "model": "m1",
    "usage": {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 40},
    },
}
RESPONSES = {
    "model": "m1",
    "usage": {"input_tokens": 100, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 40}},
}
ANTHROPIC = {
    "model": "m1",
    "usage": {
        "input_tokens": 50,
        "output_tokens": 7,
        "cache_read_input_tokens": 40,
        "cache_creation_input_tokens": 10,
    },
}
GEMINI = {
    "modelVersion": "m1",
    "usageMetadata": {
        "promptTokenCount": 100,
        "candidatesTokenCount": 4,
        "thoughtsTokenCount": 3,
        "cachedContentTokenCount": 40,
    },
}
WANTED = Counts(model="m1", read=100, written=7, cached=40)
WRITTEN = Counts(model="m1", read=100, written=7, cached=40, cache_write=10)


def streamed(*pieces, named=False):
    head = "event: x\n" if named else ""
    return "".join(f"{head}data: {json.dumps(piece)}\n\n" for piece in pieces).encode()


STREAMS = {
    "openai-chat": (
        streamed({"model": "m1", "choices": [{"delta": {"content": "hi"}}]}, {**CHAT, "choices": []})
        + b"data: [DONE]\n\n",
        WANTED,
    ),
    "openai-responses": (
        streamed(
            {"type": "response.created", "response": {"model": "m1", "usage": None}},
            {"type": "response.completed", "response": RESPONSES},
            named=True,
        ),
        WANTED,
    ),
    "anthropic": (
        streamed(
            {
                "type": "message_start",
                "message": {"model": "m1", "usage": {**ANTHROPIC["usage"], "output_tokens": 1}},
            },
            {"type": "content_block_delta", "delta": {"text": "hi"}},
            {"type": "message_delta", "delta": {}, "usage": {"output_tokens": 7}},
            named=True,
        ),
        WRITTEN,
    ),
    "gemini": (
        streamed({"modelVersion": "m1", "usageMetadata": {"promptTokenCount": 100}}, GEMINI),
        WANTED,
    ),
}
WHOLE = {
    "openai-chat": (CHAT, WANTED),
    "openai-responses": (RESPONSES, WANTED),
    "anthropic": (ANTHROPIC, WRITTEN),
    "gemini": ([{"candidates": []}, GEMINI], WANTED),
}


def read(api, kind, *pieces, encoding=""):
    reading = Reading(api, kind, encoding)
    for piece in pieces:
        reading.feed(piece)
    return reading.end()


@pytest.mark.parametrize("api", WHOLE)
def test_a_whole_answer_tells_its_tokens(api):
    answer, wanted = WHOLE[api]
    assert read(api, "application/json", json.dumps(answer).encode()) == wanted


@pytest.mark.parametrize("api", STREAMS)
@given(cuts=st.lists(st.integers(0, 2000), max_size=8))
def test_a_stream_tells_its_tokens_however_it_is_cut(api, cuts):
    text, wanted = STREAMS[api]
    places = sorted({0, *(cut % len(text) for cut in cuts), len(text)})
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert read(api, "text/event-stream; charset=utf-8", *pieces) == wanted


def test_a_stream_without_its_last_line_break_is_read_to_its_end():
    text, wanted = STREAMS["gemini"]
    assert read("gemini", "text/event-stream", text.rstrip()) == wanted


def test_a_stream_that_was_cut_short_tells_what_it_told():
    text, _ = STREAMS["anthropic"]
    cut = text[: text.index(b"event: x", 20)]
    assert read("anthropic", "text/event-stream", cut) == Counts(
        model="m1", read=100, written=1, cached=40, cache_write=10
    )


@pytest.mark.parametrize("api", WHOLE)
@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[1, 2]", b'"text"', b'{"usage": 3}', b'{"usage": {"prompt_tokens": "many"}}', b"{"],
)
def test_an_answer_that_tells_nothing_counts_nothing(api, body):
    assert read(api, "application/json", body) == Counts()
    assert read(api, "text/event-stream", b"data: " + body + b"\n") == Counts()


def test_a_compressed_answer_is_read_and_an_unknown_compression_is_not():
    body = json.dumps(CHAT).encode()
    assert read("openai-chat", "application/json", gzip.compress(body), encoding="gzip") == WANTED
    assert read("openai-chat", "application/json", body, encoding="br") == Counts()
    assert read("openai-chat", "application/json", b"no gzip", encoding="gzip") == Counts()


@given(body=st.binary(max_size=300), kind=st.sampled_from(["text/event-stream", "application/json", ""]))
def test_no_answer_breaks_the_reading(body, kind):
    for api in (*WHOLE, "other"):
        read(api, kind, body)


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/v1/chat/completions", "openai-chat"),
        ("/v1/responses", "openai-responses"),
        ("/v1/messages", "anthropic"),
        ("/v1/messages/count_tokens", "other"),
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini"),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent", "gemini"),
        ("/v1beta/models/gemini-2.5-pro:countTokens", "other"),
        ("/v1/models", "other"),
    ],
)
def test_a_path_names_its_dialect(path, api):
    assert api_of(path) == api


def test_the_model_is_the_one_that_was_asked_for_where_the_answer_names_none():
    assert model_asked("openai-chat", "/chat/completions", b'{"model": "m2"}') == "m2"
    assert model_asked("gemini", "/v1beta/models/m3:generateContent", b"") == "m3"
    assert model_asked("anthropic", "/messages", b"no json") == ""
    assert model_asked("other", "/models", b'{"model": "m2"}') == ""


@pytest.mark.parametrize(
    ("api", "body", "offers"),
    [
        ("anthropic", b'{"tools": [{"name": "bash"}]}', True),
        ("openai-chat", b'{"messages": [], "tools": []}', False),
        ("gemini", b"no json", False),
        ("other", b'{"tools": [1]}', None),
    ],
)
def test_a_request_offers_tools_or_not(api, body, offers):
    assert offers_tools(api, body) is offers
