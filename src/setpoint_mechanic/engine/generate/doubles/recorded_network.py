"""Stands in for the network."""

import asyncio
import contextlib
import re
import socket
import ssl
from unittest import mock


def addresses(_host, port, *_args, **_words):
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port or 0))]


def unwrapped(_context, connection, *_args, **_words):
    return connection


@contextlib.contextmanager
def recorded_network(*answers):
    """Reach no network: each connection answers in turn with one of `answers`. Gives what was sent."""
    sent, left = [], list(answers)

    def next_answer():
        return left.pop(0) if len(left) > 1 else left[0]

    class Connection(socket.socket):
        def connect(self, address):
            self.answer = next_answer()

        def connect_ex(self, address):
            self.connect(address)
            return 0

        def send(self, data, *_):
            sent.append(re.sub(rb"User-Agent: .*\r\n", b"", bytes(data)))  # it names the version of Python
            return len(data)

        def sendall(self, data, *_):
            self.send(data)

        def recv(self, size, *_):
            part, self.answer = self.answer[:size], self.answer[size:]
            return part

        def recv_into(self, buffer, size=0, *_):
            part = self.recv(size or len(buffer))
            buffer[: len(part)] = part
            return len(part)

    async def connection(*_args, **_words):
        reader = asyncio.StreamReader()
        reader.feed_data(next_answer())
        reader.feed_eof()
        writer = mock.Mock(spec=asyncio.StreamWriter, **{"is_closing.return_value": False})
        writer.write = sent.append
        writer.drain, writer.wait_closed = mock.AsyncMock(), mock.AsyncMock()
        return reader, writer

    with contextlib.ExitStack() as patches:
        for place, name, double in (
            (socket, "socket", Connection),
            (socket, "getaddrinfo", addresses),
            (ssl.SSLContext, "wrap_socket", unwrapped),
            (asyncio, "open_connection", connection),
        ):
            patches.enter_context(mock.patch.object(place, name, double))
        yield sent
