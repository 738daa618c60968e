"""Sums of what was counted over a window of days, each made once for all the metrics that rest on it."""

from __future__ import annotations

from collections import defaultdict
from datetime import date

from setpoint.events.counted import Row, Tallies

Days = tuple[date, date]
"""The first and the last day."""
_Figures = dict[str, float]


class Summed:
    """Rows of tallies, added up on demand: of all labels together, and of each alone."""

    def __init__(self, rows: Tallies) -> None:
        """Take what was counted."""
        self._rows = rows
        self._by_day: dict[str, dict[date, list[Row]]] = {}
        self._made: dict[tuple[str, Days], dict[str | None, _Figures]] = {}

    def labels(self, name: str, days: Days) -> set[str]:
        """Give the labels that the tally of a figure, named `tally.figure`, has on some days."""
        return {row.label for row in self._rows[name.partition(".")[0]] if days[0] <= row.day <= days[1]}

    def total(self, name: str, days: Days, label: str | None = None) -> float:
        """Add up a figure, named `tally.figure`, over some days: of one label, or with none of all."""
        tally, _, figure = name.partition(".")
        if (tally, days) not in self._made:
            self._made[tally, days] = self._added(tally, days)
        return self._made[tally, days].get(label, {}).get(figure, 0.0)

    def _added(self, tally: str, days: Days) -> dict[str | None, _Figures]:
        if tally not in self._by_day:
            by_day = self._by_day[tally] = defaultdict(list)
            # In one order, wherever the rows are from: sums of floats differ with the order of what is added.
            for row in sorted(self._rows[tally], key=lambda row: (row.day, row.label)):
                by_day[row.day].append(row)
        sums: dict[str | None, _Figures] = {}
        for day in self._days(tally, days):
            for row in self._by_day[tally][day]:
                for label in (None, row.label):
                    figures = sums.setdefault(label, dict.fromkeys(row.figures, 0.0))
                    for name, value in row.figures.items():
                        figures[name] += value
        return sums

    def _days(self, tally: str, days: Days) -> list[date]:
        if days[0] == days[1]:
            return [days[0]] if days[0] in self._by_day[tally] else []
        return [day for day in self._by_day[tally] if days[0] <= day <= days[1]]
