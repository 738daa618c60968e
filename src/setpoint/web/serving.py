"""The server under the dashboard."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI

from setpoint.web.live import Feed

GRACE_S = 3
"""Seconds that answers have once the server is to end."""


class Server(uvicorn.Server):
    """A server that lets go of the pages that listen as soon as it is to end."""

    def __init__(self, app: FastAPI, feed: Feed) -> None:
        """Serve an application, whose streams this feeds."""
        super().__init__(
            uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=GRACE_S)
        )
        self._feed = feed

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: the streams first, since a page listens for as long as it is open."""
        self._feed.close()
        await super().shutdown(sockets)
