"""The page of the reference that defines every metric."""

from __future__ import annotations

from collections.abc import Iterator

from wording import attribute_texts, row

from setpoint.history.metrics.definitions import measures
from setpoint.model.loop_metric import Loop


def page() -> Iterator[str]:
    """Yield every metric with its definition."""
    yield "# Metrics\n"
    yield (
        "`setpoint metrics` computes them from the event log, over whole days in UTC. A run belongs to the "
        "day on which it finished, with all its events; tool calls, attempts, measurements and answers "
        "belong to their own day. A metric without measurements is null, never 0. The trend compares with as "
        "many days before; `n` is the sample size: a trend of a small sample means little. Setpoint stores "
        "the reports over 7, 30 and 90 days of each finished day when its next process starts; `--snapshot` "
        "stores one now.\n"
    )
    for name, text in attribute_texts(Loop).items():
        yield f"## {Loop[name].value.capitalize()}\n"
        yield f"{text}\n"
        yield "| metric | in words | unit | definition | source | parts | better | null if |"
        yield "|---|---|---|---|---|---|---|---|"
        for each in measures():
            if each.loop is Loop[name]:
                null = each.why_null if each.total else f"always: {each.why_null}"
                yield row(
                    f"`{each.name}`",
                    each.words,
                    each.unit,
                    each.definition,
                    each.source,
                    each.split,
                    each.better,
                    null,
                )
        yield ""
