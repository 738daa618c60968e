"""Sums of what was counted over a window of days, each made once for all the metrics that rest on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from setpoint.history.metrics.day_counts import Row, Tallies

Days = tuple[date, date]
"""The first and the last day."""
_Figures = dict[str, float]


class Summed:
    """Rows of tallies, added up on demand: of all labels together, and of each alone."""

    def __init__(self, rows: Tallies) -> None:
        """Take what was counted."""
        self._rows = rows
        self._by_day: dict[str, dict[date, list[Row]]] = {}
        self._daily: dict[str, dict[date, _Figures]] = {}
        self._wholes: dict[tuple[str, Days], _Figures] = {}
        self._parts: dict[tuple[str, Days], dict[str, _Figures]] = {}

    def labels(self, name: str, days: Days) -> set[str]:
        """Return the labels that the tally of a figure, named `tally.figure`, has on some days."""
        return {row.label for row in self._rows[name.partition(".")[0]] if days[0] <= row.day <= days[1]}

    def total(self, name: str, days: Days, label: str | None = None) -> float:
        """Add up a figure, named `tally.figure`, over some days: of one label, or with none of all."""
        tally, _, figure = name.partition(".")
        found = self._whole(tally, days) if label is None else self._parted(tally, days).get(label, {})
        return found.get(figure, 0.0)

    def _whole(self, tally: str, days: Days) -> _Figures:
        if tally not in self._daily:
            self._daily[tally] = {
                day: _added(row.figures for row in rows) for day, rows in self._ordered(tally).items()
            }
        daily = self._daily[tally]
        if days[0] == days[1]:
            return daily.get(days[0], {})
        if (tally, days) not in self._wholes:
            self._wholes[tally, days] = _added(daily[day] for day in _within(daily, days))
        return self._wholes[tally, days]

    def _parted(self, tally: str, days: Days) -> dict[str, _Figures]:
        if (tally, days) not in self._parts:
            by_day = self._ordered(tally)
            rows: dict[str, list[_Figures]] = {}
            for day in _within(by_day, days):
                for row in by_day[day]:
                    rows.setdefault(row.label, []).append(row.figures)
            self._parts[tally, days] = {label: _added(each) for label, each in rows.items()}
        return self._parts[tally, days]

    def _ordered(self, tally: str) -> dict[date, list[Row]]:
        """Return the rows by day, in one order wherever they are from: sums of floats differ with it."""
        if tally not in self._by_day:
            by_day = self._by_day[tally] = {}
            for row in sorted(self._rows[tally], key=lambda row: (row.day, row.label)):
                by_day.setdefault(row.day, []).append(row)
        return self._by_day[tally]


def _added(several: Iterable[_Figures]) -> _Figures:
    sums: _Figures = {}
    for figures in several:
        if not sums:
            sums = figures.copy()
            continue
        for name, value in figures.items():
            sums[name] += value
    return sums


def _within(by_day: Iterable[date], days: Days) -> Iterator[date]:
    return (day for day in by_day if days[0] <= day <= days[1])
