"""Which tests were flaky in which runs, read from the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.database.tables import EVENT, RUN
from setpoint.model.evidence import SUITES
from setpoint.model.flaky import FlakyTest

_MEASURED = ("baseline.measured", "iteration.evaluated")


class _Sighting(NamedTuple):
    test: str
    trace: str
    at: datetime
    tree: str


def flaky_history(store: Store, root: str, since: datetime) -> tuple[FlakyTest, ...]:
    """Return the tests that flipped in a project's runs since a time, those seen in most runs first.

    What was taken from a cache counts for the run that measured it alone.
    """
    first: dict[str, dict[str, _Sighting]] = {}
    trees: dict[str, str] = {}
    for sighting in _sightings(store, root, since):
        first.setdefault(sighting.test, {}).setdefault(sighting.trace, sighting)
        trees[sighting.test] = sighting.tree
    found = [
        FlakyTest(test=test, seen=tuple(each.at for each in runs.values()), last_tree=trees[test])
        for test, runs in first.items()
    ]
    return tuple(sorted(found, key=lambda flaky: (-len(flaky.seen), flaky.test)))


def _sightings(store: Store, root: str, since: datetime) -> Iterator[_Sighting]:
    query = (
        sa.select(EVENT.c.trace_id, EVENT.c.at, EVENT.c.body)
        .join(RUN, RUN.c.trace_id == EVENT.c.trace_id)
        .where(
            EVENT.c.kind.in_(_MEASURED),
            EVENT.c.at > since,
            RUN.c.root == root,
            EVENT.c.body.not_like('%"flaky":[]%'),
        )
        .order_by(EVENT.c.at, EVENT.c.seq)
    )
    with store.reading() as connection:
        for row in connection.execute(query):
            evaluation = json.loads(row.body)["evaluation"]
            if any(each["check"] in SUITES and each["cached"] for each in evaluation["evidence"]):
                continue
            for test in evaluation["flaky"]:
                yield _Sighting(test, row.trace_id, row.at, evaluation["tree"])
