"""What the queries of the metrics are made of: events of some days, and their JSON, in either database.

SQLite and Postgres differ in how JSON, days and durations are read; everything that differs is here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from setpoint.database.tables import EVENT, Utc

Column = sa.ColumnElement[Any]
_NUL = r"(?<!\\)((?:\\\\)*)\\u0000"
"""The escape of a NUL in JSON, but not a backslash that is escaped before `u0000`."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """Reads the JSON body of events in the words of one database."""

    postgres: bool
    body: Column

    def _document(self) -> Column:
        """Return body as JSON; Postgres knows no text with a NUL, so that is read as a replacement sign."""
        clean = sa.func.regexp_replace(sa.cast(self.body, sa.Text), _NUL, r"\1\\ufffd", "g")
        text = sa.cast(self.body, sa.Text)
        return sa.cast(sa.case((sa.func.strpos(text, r"\u0000") > 0, clean), else_=text), sa.JSON)

    def text(self, path: str) -> Column:
        """Return the value at a path such as `call.name` as text; null without one."""
        if self.postgres:
            return sa.func.json_extract_path_text(self._document(), *path.split("."))
        return sa.cast(sa.func.json_extract(self.body, f"$.{path}"), sa.Text)

    def number(self, path: str) -> Column:
        """Return the value at a path as a number, amounts of money in quotes too."""
        found = self.text(path) if self.postgres else sa.func.json_extract(self.body, f"$.{path}")
        return sa.cast(found, sa.Double)

    def flag(self, path: str) -> Column:
        """Return whether the value at a path is true; null without one."""
        return self.text(path) == ("true" if self.postgres else "1")

    def length(self, path: str) -> Column:
        """Return the length of the list at a path."""
        if self.postgres:
            inner = sa.func.json_extract_path(self._document(), *path.split("."))
            return sa.func.json_array_length(inner)
        return sa.func.json_array_length(self.body, f"$.{path}")

    def elements(self, path: str) -> tuple[sa.FromClause, Body]:
        """Return the list at a path as a table, and the reader of its elements."""
        if self.postgres:
            inner = sa.func.json_extract_path(self._document(), *path.split("."))
            table = sa.func.json_array_elements(inner).table_valued("value").alias("element")
        else:
            table = sa.func.json_each(self.body, f"$.{path}").table_valued("value").alias("element")
        return table, Body(postgres=self.postgres, body=table.c.value)


class Window:
    """The events of some days in one database, and what all tallies are made of.

    The time is a parameter of each run of a query (`begin` and `end`, which is excluded), so each query is
    built once.
    """

    def __init__(self, dialect: str) -> None:
        """Speak to a database of this kind."""
        self.postgres = dialect == "postgresql"
        self._begin, self._end = (sa.bindparam(name, type_=Utc()) for name in ("begin", "end"))
        self.json = Body(postgres=self.postgres, body=EVENT.c.body)
        self.finished = self._finished()

    def day(self) -> Column:
        """Return the UTC day of an event, as `YYYY-MM-DD`."""
        if self.postgres:
            return sa.func.to_char(sa.func.timezone("UTC", EVENT.c.at), "YYYY-MM-DD")
        return sa.func.substr(sa.type_coerce(EVENT.c.at, sa.Text), 1, 10)

    def seconds(self, earlier: Column, later: Column) -> Column:
        """Return the seconds between two times, to the millisecond."""
        if self.postgres:
            return sa.cast(sa.extract("epoch", later - earlier), sa.Double)
        days = sa.func.julianday(sa.type_coerce(later, sa.Text)) - sa.func.julianday(
            sa.type_coerce(earlier, sa.Text)
        )
        return days * 86400.0

    def within(self, *kinds: str) -> Column:
        """Choose the events of these kinds that were recorded in the window."""
        return sa.and_(EVENT.c.kind.in_(kinds), EVENT.c.at >= self._begin, EVENT.c.at < self._end)

    def of_finished(self, *kinds: str) -> tuple[sa.FromClause, Column]:
        """Return events of these kinds of all runs that finished in the window, whenever they happened."""
        joined = sa.join(self.finished, EVENT, EVENT.c.trace_id == self.finished.c.trace_id)
        return joined, EVENT.c.kind.in_(kinds)

    def _finished(self) -> sa.CTE:
        text, number = self.json.text, self.json.number
        return (
            sa.select(
                EVENT.c.trace_id.label("trace_id"),
                self.day().label("day"),
                text("outcome.ending").label("ending"),
                text("outcome.halt.guard").label("guard"),
                sa.case((self.json.flag("outcome.cost_known"), number("outcome.cost_usd"))).label("cost"),
                number("outcome.score").label("score"),
                number("outcome.iterations").label("iterations"),
                number("outcome.duration_s").label("duration"),
            )
            .where(self.within("run.finished"))
            .cte("finished")
        )
