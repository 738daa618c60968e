"""A silence is the network's fault where no address of the model takes a connection."""

import asyncio
import socket

import pytest

from setpoint.agents.launch import Launch
from setpoint.agents.reachable import addresses, network_seen
from setpoint.model.attempt import CUT_OFF, Breakage, BreakageKind, ModelCall

SILENT = Breakage(kind=BreakageKind.IDLE, message="no sign of life; raise agents.idle_s")
ASKED = ModelCall(api="gemini", path="/m", status=0, duration_s=19.9, fault=CUT_OFF)


def pointed(url: str, **more: object) -> Launch:
    base_urls = {"MODEL_URL": "https://model.invalid"}
    return Launch.model_validate(
        {
            "name": "quiet",
            "argv": ["quiet"],
            "base_urls": base_urls,
            "environment": {"MODEL_URL": url},
            **more,
        }
    )


@pytest.fixture
def closed() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


async def test_a_refused_connection_is_named_with_its_host(closed: str):
    seen = await network_seen(pointed(closed), {}, SILENT)
    assert seen is not None
    assert seen.kind is BreakageKind.NETWORK
    assert f"its model: {closed.removeprefix('http://')} (Connection refused)" in seen.message


async def test_a_silence_stays_one_and_names_the_model_where_that_can_be_reached(closed: str):
    server = await asyncio.start_server(lambda _reader, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        launch = pointed(f"http://127.0.0.1:{port}")
        seen = await network_seen(launch, {}, SILENT)
        watched = await network_seen(launch.model_copy(update={"proxied": True}), {}, SILENT, ASKED)
    assert seen is not None
    assert watched is not None
    assert (seen.kind, watched.kind) == (BreakageKind.IDLE, BreakageKind.IDLE)
    taking = f"127.0.0.1:{port} takes connections: its model may set a limit, or not answer"
    hint = "raise agents.idle_s"
    assert (
        seen.message == f"no sign of life; {taking} (`[agent.quiet] proxy = true` watches its calls); {hint}"
    )
    unanswered = f"its model at 127.0.0.1:{port} did not answer in full for 20 s: see that it works"
    assert watched.message == f"no sign of life; {unanswered}; {hint}"
    login = Breakage(kind=BreakageKind.AUTH, message="log in")
    assert await network_seen(pointed(closed), {}, login) == login
    assert await network_seen(pointed("").model_copy(update={"base_urls": {}}), {}, SILENT) == SILENT


def test_an_address_that_is_set_goes_before_the_default(closed: str, monkeypatch: pytest.MonkeyPatch):
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert addresses(pointed(closed), {}) == (closed,)
    assert addresses(pointed(""), {}) == ("https://model.invalid",)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    assert addresses(pointed(""), {}) == ()
    assert addresses(pointed(closed), {}) == (closed,)


async def test_the_words_of_the_agent_come_before_those_about_the_network(closed: str):
    broken = Breakage(kind=BreakageKind.MODEL, message="any answered: no route to the moon")
    seen = await network_seen(pointed(closed), {}, broken)
    assert seen is not None
    assert seen.message.startswith("any answered: no route to the moon; the network refused")
