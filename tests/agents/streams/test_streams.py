"""Readers of streams against what real programs printed: see `recorded/README.md`."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.agents import breakage
from setpoint.agents.launch import Launch
from setpoint.agents.streams import STREAMS, Stream, Tally
from setpoint.model.attempt import BreakageKind, Stop, ToolCall

RECORDED = Path(__file__).with_name("recorded")
LAUNCH = Launch(name="any", argv=("any",), protocol="command", login="run `any login`")
PROGRAMS = ("claude", "codex", "gemini", "opencode", "pi")
Read = Callable[..., tuple[Stream, list[ToolCall]]]


def file_of(name: str) -> Path:
    return RECORDED / f"{name}.{'txt' if name == 'aider' else 'jsonl'}"


def read(program: str, data: bytes, piece: int = 1 << 20) -> tuple[Stream, list[ToolCall]]:
    calls: list[ToolCall] = []
    tally = Tally(Path("/project"), called=calls.append, spent=lambda _usage: None)
    stream = Stream(program, tally, lambda _line, _event: None)
    for start in range(0, len(data), piece):
        stream.add(data[start : start + piece])
    stream.end()
    return stream, calls


@pytest.mark.parametrize("program", ["claude", "codex", "gemini", "pi"])
def test_calls_are_told_to_begin_before_they_end(program: str) -> None:
    told: list[tuple[str, str]] = []
    tally = Tally(
        Path("/project"),
        called=lambda call: told.append(("end", call.id)),
        spent=lambda _usage: None,
        begun=lambda call: told.append(("begin", call.id)),
    )
    stream = Stream(program, tally, lambda _line, _event: None)
    stream.add(file_of(program).read_bytes())
    ends = [place for place, (what, _) in enumerate(told) if what == "end"]
    assert len(ends) == len({call for _, call in told})
    assert all(("begin", told[place][1]) in told[:place] for place in ends)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_calls_words_and_figures_are_read_in_pieces_of_any_size(program: str, piece: int) -> None:
    stream, calls = read(program, file_of(program).read_bytes(), piece)
    tally = stream.tally
    assert [call.kind for call in calls] == (
        ["execute"] * 4 if program == "codex" else ["read", "edit", "execute", "execute"]
    )
    assert all(call.name != call.kind for call in calls[:2]) or program in ("opencode", "pi")
    # Gemini's shell tool calls itself well even where the command was not.
    assert [call.ok for call in calls] == [True, True, True, program == "gemini"]
    assert (tally.text, tally.stop, tally.failure, tally.trouble) == (
        "Done, I think.",
        Stop.END_TURN,
        None,
        None,
    )
    if program != "codex":
        assert calls[1].files == ("calc.py",)
        assert calls[1].title == "calc.py"
    assert calls[3].title == "exit 3" or program == "codex"
    assert len(tally.session) > 10
    assert len({call.result_hash for call in calls}) == 4


FIGURES = {
    "claude": (5000, 250, Decimal("0.01875")),
    "codex": (5000, 250, None),
    "gemini": (5000, 250, None),
    "opencode": (5000, 250, Decimal("0.01875")),
    "pi": (5000, 250, Decimal("0.01875")),
}


@pytest.mark.parametrize("program", FIGURES)
def test_figures_are_those_of_the_turn_or_are_told_to_be_the_sessions(program: str) -> None:
    tally = read(program, file_of(program).read_bytes())[0].tally
    tokens = tally.session_tokens or (tally.usage.input_tokens, tally.usage.output_tokens, 0)
    cost = tally.usage.cost_usd if tally.session_cost is None else tally.session_cost
    assert (*tokens[:2], cost) == FIGURES[program]
    assert (tally.session_tokens is not None) == (program == "codex")
    assert (tally.session_cost is not None) == (program == "claude")


def test_durations_are_the_agents_own_where_calls_are_told_only_at_their_end() -> None:
    _, calls = read("opencode", file_of("opencode").read_bytes())
    assert [call.duration_s for call in calls] == [0.07, 0.013, 0.172, 0.054]
    assert [call.duration_s for call in read("aider", file_of("aider").read_bytes())[1]] == [None]


def test_the_second_turn_of_a_session_counts_on() -> None:
    codex = read("codex", file_of("codex-resumed").read_bytes())[0].tally
    assert codex.session_tokens == (7000, 350, 0)
    claude = read("claude", file_of("claude-resumed").read_bytes())[0].tally
    assert (claude.session_cost, claude.usage.input_tokens) == (Decimal("0.02625"), 2000)


def test_plain_text_gives_edits_figures_and_words() -> None:
    stream, calls = read("aider", file_of("aider").read_bytes())
    assert [(call.kind, call.files) for call in calls] == [("edit", ("calc.py",))]
    usage = stream.tally.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (1000, 50, None)
    assert "I mend it." in stream.tally.text
    assert stream.tally.version == "0.86.2"


def test_plain_text_with_a_cost_and_a_cache() -> None:
    line = (
        b"Tokens: 2.5k sent, 1.1k cache write, 340 cache hit, 1.2M received. "
        b"Cost: $0.03 message, $0.40 session.\n"
    )
    usage = read("aider", line * 2)[0].tally.usage
    assert (usage.input_tokens, usage.cached_tokens, usage.output_tokens) == (5000, 680, 2_400_000)
    assert usage.cost_usd == Decimal("0.06")


REFUSALS = {
    "claude-401": BreakageKind.AUTH,
    "codex-401": BreakageKind.AUTH,
    "gemini-401": BreakageKind.AUTH,
    "opencode-401": BreakageKind.AUTH,
    "pi-401": BreakageKind.AUTH,
    "claude-429": BreakageKind.RATE_LIMIT,
    "codex-429": BreakageKind.RATE_LIMIT,
    "pi-429": BreakageKind.RATE_LIMIT,
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_model_that_refuses_is_a_breakage(name: str) -> None:
    tally = read(name.split("-", maxsplit=1)[0], file_of(name).read_bytes())[0].tally
    told = tally.failure or tally.trouble
    assert told is not None
    assert breakage.of_stream(LAUNCH, told).kind is REFUSALS[name]
    # Claude alone tries a refused key again and again; what is limited may be lifted.
    assert tally.hopeless == (name == "claude-401")


def test_words_that_look_like_an_error_are_words() -> None:
    lines = b'{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"401 Unauthorized"}}\n'
    tally = read("codex", lines)[0].tally
    assert (tally.text, tally.failure) == ("401 Unauthorized", None)


def test_a_try_that_came_to_something_is_forgotten() -> None:
    failing, well = file_of("pi-429").read_bytes(), file_of("pi").read_bytes()
    tally = read("pi", failing + well)[0].tally
    assert (tally.failure, tally.trouble, tally.text) == (None, None, "Done, I think.")


def test_the_other_ends_of_a_turn() -> None:
    ends = {
        b'{"type":"result","subtype":"error_max_turns","is_error":true}': Stop.MAX_TURNS,
        b'{"type":"result","subtype":"success","stop_reason":"refusal"}': Stop.REFUSAL,
        b'{"type":"result","subtype":"success","stop_reason":"max_tokens"}': Stop.MAX_TOKENS,
    }
    assert {line: read("claude", line)[0].tally.stop for line in ends} == ends
    failed = read("claude", b'{"type":"result","subtype":"error_during_execution","is_error":true}')[0].tally
    assert failed.failure is not None


def test_a_call_that_never_ended_is_cancelled_and_one_that_ends_later_too() -> None:
    began = b'{"type":"tool_execution_start","toolCallId":"%s","toolName":"bash","args":{}}\n'
    stream, calls = read("pi", began % b"a" + began % b"b")
    stream.tally.calls.cancelled = True
    stream.add(b'{"type":"tool_execution_end","toolCallId":"a","isError":false,"result":"fine"}\n')
    stream.tally.calls.cancel_open()
    assert [(call.id, call.ok) for call in calls] == [("a", False), ("b", False)]


GARBAGE = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [b"{", b"[]", b"null", b"1e999", b'{"type":null}', b'{"type":"result","usage":7}', b"\xff" * 9]
    ),
)


@given(
    program=st.sampled_from(sorted(STREAMS)),
    cut=st.integers(0, 9000),
    noise=st.lists(st.tuples(st.integers(0, 60), GARBAGE), max_size=6),
    piece=st.integers(1, 5000),
)
def test_nothing_that_is_printed_breaks_a_reader(program, cut, noise, piece) -> None:
    lines = file_of(program).read_bytes().split(b"\n")
    for place, text in noise:
        lines.insert(place, text)
    stream, calls = read(program, b"\n".join(lines)[:cut], piece)
    stream.tally.calls.cancel_open()
    assert stream.tally.calls.count == len(calls) == len({call.id for call in calls})


def _with(event: object, value: object, place: list[int]) -> object:
    """Put a value somewhere into nested data."""
    if not place:
        return value
    if isinstance(event, dict) and event:
        keys = sorted(event)
        key = keys[place[0] % len(keys)]
        return {**event, key: _with(event[key], value, place[1:])}
    return value


@given(
    program=st.sampled_from(PROGRAMS),
    row=st.integers(0, 60),
    place=st.lists(st.integers(0, 20), min_size=1, max_size=4),
    value=st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=3),
        st.just([]),
        st.just({}),
        st.just([[3]]),
    ),
)
def test_events_of_any_shape_break_no_reader(program, row, place, value) -> None:
    lines = file_of(program).read_text().splitlines()
    row %= len(lines)
    lines[row] = json.dumps(_with(json.loads(lines[row]), value, place))
    stream, _ = read(program, "\n".join(lines).encode())
    assert stream.tally.events >= len(lines) - 1
