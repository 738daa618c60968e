"""Open a run: its work copy, its record, and what is measured of its base."""

from __future__ import annotations

from setpoint.inner.lost_copies import note_loss
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.events.run import BaselineMeasured, RunStarted, TestsQuarantined
from setpoint.model.run import RunOrder
from setpoint.ports import Measured, RunPorts
from setpoint.runs.context import RunContext
from setpoint.runs.journal import Journal


async def open_run(order: RunOrder, ports: RunPorts) -> RunContext:
    """Make or open the work copy and the record of a run; a second call after a crash finds both."""
    copy = await ports.workspace.open(order.trace_id, order.base)
    tools = await ports.evaluator.prepare(order, copy)
    journal = Journal(order.trace_id, ports.log, ports.durable)
    started = RunStarted(order=order, workdir=copy.path, python=tools.python, checks=tools.checks)
    journal.note("run", started)
    if order.quarantine or order.quarantine_ended:
        body = TestsQuarantined(quarantine=order.quarantine, ended=order.quarantine_ended)
        journal.note("quarantine", body)
    run = RunContext(order=order, ports=ports, copy=copy, tools=tools, journal=journal)
    note_loss(run)
    return run


async def measure_base(run: RunContext) -> Evaluation:
    """Measure the base, once."""

    async def act() -> BaselineMeasured:
        measured = Measured(run.copy, run.order.base, run.copy.base_tree, Stage.BASE)
        return BaselineMeasured(evaluation=await run.ports.evaluator.evaluate(run.order, measured))

    return (await run.journal.step("baseline", act, BaselineMeasured)).evaluation
