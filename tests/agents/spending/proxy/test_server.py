"""The proxy between real sockets: what it passes on, what it tells, and whom it refuses."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import h11
import httpx2
import pytest

from setpoint.agents.spending.proxy.server import Proxy

CHAT = json.dumps(
    {"model": "m1", "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 7}}
).encode()


class Model:
    """A server that answers as it is told, over bare sockets."""

    def __init__(self):
        self.asked: list[bytes] = []
        self.status = b"200 OK"
        self.kind = b"application/json"
        self.pieces = [CHAT]
        self.cut = False
        self.gate: asyncio.Event | None = None
        self.url = ""

        self.tasks: list[asyncio.Task[None]] = []

    def connected(self, reader, writer):
        self.tasks.append(asyncio.get_running_loop().create_task(self.met(reader, writer)))

    async def met(self, reader, writer):
        try:
            await self.answer(reader, writer)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def answer(self, reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            ),
            0,
        )
        self.asked.append(head + await reader.readexactly(length))
        size = sum(map(len, self.pieces)) + (50 if self.cut else 0)
        writer.write(
            b"HTTP/1.1 %s\r\ncontent-type: %s\r\ncontent-length: %d\r\nx-own: 1\r\nconnection: close\r\n\r\n"
            % (self.status, self.kind, size)
        )
        for number, piece in enumerate(self.pieces):
            if number and self.gate is not None:
                await self.gate.wait()
            writer.write(piece)
            await writer.drain()


@pytest.fixture
async def model():
    made = Model()
    server = await asyncio.start_server(made.connected, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield made
    server.close()
    for task in made.tasks:
        task.cancel()
    await asyncio.gather(*made.tasks, return_exceptions=True)
    await asyncio.sleep(0)


@asynccontextmanager
async def proxied(upstream, reason=""):
    seen: list[tuple[object, bool]] = []
    proxy = Proxy(lambda call, listed: seen.append((call, listed)), lambda: reason)
    await proxy.open()
    try:
        async with httpx2.AsyncClient(trust_env=False, timeout=10) as client:
            yield proxy.lane(upstream), seen, client
    finally:
        await proxy.close()


async def test_a_call_is_passed_on_and_told(model):
    async with proxied(f"{model.url}/v1") as (base, seen, client):
        answer = await client.post(
            f"{base}/chat/completions?a=1&b=%2F",
            json={"model": "asked"},
            headers={"authorization": "Bearer secret"},
        )
    assert (answer.status_code, answer.content, answer.headers["x-own"]) == (200, CHAT, "1")
    (asked,) = model.asked
    assert asked.startswith(b"POST /v1/chat/completions?a=1&b=%2F HTTP/1.1\r\n")
    assert b"authorization: Bearer secret" in asked
    assert b"accept-encoding: identity" in asked.lower()
    assert asked.endswith(b'{"model":"asked"}')
    ((call, listed),) = seen
    assert (call.api, call.path, call.model, call.status) == ("openai-chat", "/chat/completions", "m1", 200)
    assert (call.input_tokens, call.output_tokens, call.fault, listed) == (100, 7, "", False)
    assert "secret" not in call.model_dump_json()
    assert "asked" not in call.model_dump_json()


async def test_a_stream_passes_while_it_is_made(model):
    model.kind, model.gate = b"text/event-stream", asyncio.Event()
    model.pieces = [
        b'data: {"model": "m1"}\n\n',
        b'data: {"usage": {"prompt_tokens": 5, "completion_tokens": 6}}\n\n',
    ]
    async with (
        proxied(model.url) as (base, seen, client),
        client.stream("POST", f"{base}/chat/completions", json={}) as answer,
    ):
        pieces = answer.aiter_raw()
        assert await anext(pieces) == model.pieces[0]
        assert seen == []
        model.gate.set()
        assert await anext(pieces) == model.pieces[1]
        assert [piece async for piece in pieces] == []
        assert [(call.input_tokens, call.output_tokens) for call, _ in seen] == [(5, 6)]


async def test_a_failure_of_the_model_passes_as_it_is(model):
    model.status, model.pieces = b"429 Too Many Requests", [b'{"error": "slow down"}']
    async with proxied(model.url) as (base, seen, client):
        answer = await client.post(f"{base}/v1/messages", json={"model": "m"})
    assert (answer.status_code, answer.json()) == (429, {"error": "slow down"})
    assert (seen[0][0].status, seen[0][0].model, seen[0][0].input_tokens) == (429, "m", None)


async def test_a_model_that_is_not_there_is_a_bad_gateway():
    async with proxied("http://127.0.0.1:9") as (base, seen, client):
        answer = await client.post(f"{base}/chat/completions", json={})
    assert answer.status_code == 502
    assert "could not be reached" in answer.json()["error"]["message"]
    assert (seen[0][0].status, bool(seen[0][0].fault)) == (0, True)


async def test_an_answer_that_breaks_off_does_not_look_whole(model):
    model.cut = True
    async with proxied(model.url) as (base, seen, client):
        with pytest.raises(httpx2.HTTPError):
            await client.post(f"{base}/chat/completions", json={})
    assert seen[0][0].fault


async def test_an_agent_that_hangs_up_ends_its_call(model):
    model.gate = asyncio.Event()
    model.pieces = [b"x" * 10, *[b"y" * 65536] * 200]
    async with proxied(model.url) as (base, seen, client):
        async with client.stream("POST", f"{base}/chat/completions", json={}) as answer:
            await anext(answer.aiter_raw())
        model.gate.set()
        async with asyncio.timeout(10):
            while not seen:  # noqa: ASYNC110 - told from the other side of a socket
                await asyncio.sleep(0.01)
    assert seen[0][0].fault


async def test_closing_ends_what_is_under_way(model):
    model.gate = asyncio.Event()
    model.pieces = [b"x", b"y"]
    async with proxied(model.url) as (base, seen, client):
        answer = await client.send(client.build_request("POST", f"{base}/v1/messages", json={}), stream=True)
        await anext(answer.aiter_raw())
    assert [call.fault for call, _ in seen] == ["ended with the attempt"]


@pytest.mark.parametrize("path", ["", "/", "/wrong/0/chat/completions", "/v1/chat/completions"])
async def test_who_does_not_know_the_word_finds_nothing(model, path):
    async with proxied(model.url) as (base, seen, client):
        root = base.rsplit("/", 2)[0]
        word = base.rsplit("/", 2)[1]
        answer = await client.post(f"{root}{path}", json={})
        other = await client.post(f"{root}/{word}/1/chat/completions", json={})
    assert (answer.status_code, other.status_code, seen, model.asked) == (404, 404, [], [])


async def test_nothing_passes_when_the_money_is_gone(model):
    async with proxied(model.url, reason="nothing is left") as (base, seen, client):
        answer = await client.post(f"{base}/chat/completions", json={})
    assert (answer.status_code, answer.json()["error"]["message"]) == (402, "nothing is left")
    assert (seen, model.asked) == ([], [])


async def test_one_connection_serves_many_calls_and_chunked_bodies(model):
    async def body():
        yield b'{"model": '
        yield b'"m2"}'

    async with proxied(model.url) as (base, seen, client):
        for _ in range(3):
            await client.post(f"{base}/v1/responses", content=body())
    assert len(seen) == 3
    assert all(asked.endswith(b'{"model": "m2"}') for asked in model.asked)


async def test_what_is_no_http_is_dropped(model):
    async with proxied(model.url) as (base, seen, _):
        port = int(base.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
        assert await reader.read() == b""
        writer.close()
    assert seen == []


async def test_a_client_that_waits_for_leave_gets_it(model):
    async with proxied(model.url) as (base, seen, _):
        port = int(base.split(":")[2].split("/")[0])
        path = "/" + base.split("/", 3)[3]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        client = h11.Connection(h11.CLIENT)
        headers = [("host", "x"), ("content-length", "2"), ("expect", "100-continue")]
        request = h11.Request(method="POST", target=f"{path}/chat/completions", headers=headers)
        writer.write(client.send(request))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(client.send(h11.Data(data=b"{}")) + client.send(h11.EndOfMessage()))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
        writer.close()
        async with asyncio.timeout(10):
            while not seen:  # noqa: ASYNC110 - told from the other side of a socket
                await asyncio.sleep(0.01)
