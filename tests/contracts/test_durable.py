"""The contract of durable engines, on the real one and on the shipped fake."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from database import postgres
from setpoint.durable.dbos import DbosEngine
from setpoint.model.run import RunOutcome
from setpoint.testing import InlineDurable
from setpoint.testing.contracts.counted_run import TRACE, Answer, order
from setpoint.testing.contracts.durable import Body, DurableContract


class Inline:
    def __init__(self) -> None:
        self._durable = InlineDurable()

    async def drive(self, body: Body) -> RunOutcome:
        self._durable.resume()
        return await body(order(), self._durable)

    async def send(self, topic: str, text: str, key: str) -> None:
        self._durable.send(topic, Answer(text=text), key)


class Dbos:
    def __init__(self, state: Path, url: str | None = None) -> None:
        self._engine = DbosEngine(state, url)

    async def drive(self, body: Body) -> RunOutcome:
        return await self._engine.drive(order(), body)

    async def send(self, topic: str, text: str, key: str) -> None:
        await asyncio.to_thread(self._engine.signal, TRACE, topic, Answer(text=text), key)


class TestInline(DurableContract):
    @pytest.fixture
    def engine(self):
        return Inline()


class TestDbos(DurableContract):
    @pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
    def engine(self, request, tmp_path):
        return Dbos(tmp_path / "state", postgres.fresh_database() if request.param == "postgres" else None)
