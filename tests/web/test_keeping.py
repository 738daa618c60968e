"""The dashboard keeps the metrics of days that are over, whatever the database says meanwhile."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from checks.conftest import git, write
from model.examples import ORDER, OUTCOME
from setpoint.app.views.metrics import metric_snapshots
from setpoint.history.event_log import SqlEventLog
from setpoint.model.events.run import RunFinished, RunStarted
from setpoint.web import app
from setpoint.wiring.project import open_project


@pytest.fixture
def project(tmp_path):
    write(tmp_path, {"a.py": "x = 1\n"})
    git(tmp_path, "init", "-q")
    made = open_project(tmp_path)
    at = datetime.now(UTC) - timedelta(days=2)
    order = ORDER.model_copy(update={"started_at": at})
    log = SqlEventLog(made.store, now=lambda: at)
    log.append(
        order.trace_id, "all", [RunStarted(order=order, workdir="/copy"), RunFinished(outcome=OUTCOME)]
    )
    yield made
    made.store.close()


async def until(true):
    async with asyncio.timeout(30):
        while not true():  # noqa: ASYNC110 - a thread of the keeper brings it about
            await asyncio.sleep(0.01)


async def test_a_database_that_takes_nothing_for_a_while_does_not_end_the_keeping(
    project, monkeypatch, caplog
):
    monkeypatch.setattr(app, "SNAPSHOT_S", 0.05)
    with project.store.writing() as connection:
        connection.execute(sa.text("ALTER TABLE metrics_snapshot RENAME TO away"))
    keeping = asyncio.create_task(app._keep_metrics(project))
    await until(lambda: "were not stored" in caplog.text or keeping.done())
    assert "no such table" in caplog.text
    with project.store.writing() as connection:
        connection.execute(sa.text("ALTER TABLE away RENAME TO metrics_snapshot"))
    await until(lambda: metric_snapshots(project, 7) or keeping.done())
    assert metric_snapshots(project, 7)
    keeping.cancel()
