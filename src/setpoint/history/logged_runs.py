"""Logged runs for replay of halting policies, from CSV files."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from setpoint.errors import UsageError
from setpoint.model.halting import LoggedRun, TurnState

REQUIRED = ("run", "agent", "turn", "gates", "verified")
"""Columns that a file must have."""
OPTIONAL = (
    "group",
    "kind",
    "chain",
    "failing",
    "quality",
    "tests_share",
    "security",
    "review",
    "repeated",
    "cost_usd",
    "full",
    "propensity",
)
"""Columns that may be absent or empty; what the last one says is not used any more."""
SCHEMA_HINT = "docs/how-to/halting.md lists the columns"
_GZIP = b"\x1f\x8b"
_YES = frozenset({"1", "true", "yes"})
_NO = frozenset({"0", "false", "no"})
_SHARES = ("quality", "tests_share")


def read_logged_runs(path: Path) -> tuple[LoggedRun, ...]:
    """Read a CSV file of one row for each turn, plain or gzipped, in any order of the runs.

    `UsageError` names the file and the line of what cannot be read.
    """
    rows = csv.DictReader(io.StringIO(_text(path), newline=""))
    names = tuple(rows.fieldnames or ())
    if missing := [each for each in REQUIRED if each not in names]:
        raise UsageError(f"{path}:1: lacks {_columns(missing)}", hint=SCHEMA_HINT)
    if unknown := [each for each in names if each not in REQUIRED + OPTIONAL]:
        raise UsageError(f"{path}:1: does not know {_columns(unknown)}", hint=SCHEMA_HINT)
    runs: dict[str, _Open] = {}
    for row in _rows(rows, path):
        name = row.word("run")
        runs.setdefault(name, _Open(row)).add(row)
    if not runs:
        raise UsageError(f"{path}: holds no turn", hint=SCHEMA_HINT)
    return tuple(each.run() for each in runs.values())


def _rows(rows: csv.DictReader[str], path: Path) -> Iterator[_Row]:
    try:
        for cells in rows:
            yield _Row(cells, f"{path}:{rows.line_num}")
    except csv.Error as error:
        raise UsageError(f"{path}:{rows.line_num}: {error}", hint=SCHEMA_HINT) from None


class _Row:
    """One line of the file; each reader raises `UsageError` with its place."""

    def __init__(self, cells: dict[str, str], where: str) -> None:
        if None in cells or None in cells.values():
            raise UsageError(f"{where}: does not have as many cells as the first line", hint=SCHEMA_HINT)
        self.cells, self.where = cells, where

    def wrong(self, column: str, expected: str) -> UsageError:
        """Return the error for a cell."""
        told = f"{self.where}: {column} is '{self.cells.get(column, '')}', not {expected}"
        return UsageError(told, hint=SCHEMA_HINT)

    def word(self, column: str) -> str:
        """Read a name that may not be empty."""
        if not (found := self.cells[column].strip()):
            raise self.wrong(column, "a name")
        return found

    def flag(self, column: str) -> bool | None:
        """Read yes or no; none for an empty cell."""
        found = self.cells.get(column, "").strip().lower()
        if found and found not in _YES | _NO:
            raise self.wrong(column, "0 or 1")
        return found in _YES if found else None

    def number(self, column: str) -> float | None:
        """Read a number that is 0 or more; none for an empty cell."""
        found = self.cells.get(column, "").strip()
        try:
            value = float(found) if found else None
        except ValueError:
            raise self.wrong(column, "a number") from None
        if value is not None and not 0 <= value < float("inf"):
            raise self.wrong(column, "a number of 0 or more")
        return value

    def count(self, column: str) -> int:
        """Read a whole number; 0 for an empty cell."""
        value = self.number(column) or 0.0
        if not value.is_integer():
            raise self.wrong(column, "a whole number")
        return int(value)

    def share(self, column: str) -> float | None:
        """Read a number from 0 to 1; none for an empty cell."""
        value = self.number(column)
        if value is not None and value > 1:
            raise self.wrong(column, "a number from 0 to 1")
        return value

    def gates(self) -> bool:
        """Read whether every hard gate passed, which each turn must say."""
        found = self.flag("gates")
        if found is None:
            raise self.wrong("gates", "0 or 1")
        return found

    def turn(self) -> TurnState:
        """Read the turn of the line."""
        gates = self.gates()
        open_problems = self.count("failing") if self.cells.get("failing", "").strip() else int(not gates)
        return TurnState(
            number=self.count("turn"),
            gates=gates,
            repeated=bool(self.flag("repeated")),
            cost_usd=self.number("cost_usd") or 0.0,
            quality=self.share("quality"),
            tests_share=self.share("tests_share"),
            chain=self.count("chain"),
            failing=open_problems,
            security=self.count("security"),
            review=self.count("review"),
        )


class _Open:
    """A run whose lines are being read."""

    def __init__(self, first: _Row) -> None:
        self.named = self._names(first)
        self.turns: list[TurnState] = []
        self.verified: list[bool | None] = []
        self.full = False

    def add(self, row: _Row) -> None:
        """Add the turn of a line, which is the next one of the run."""
        if row.count("turn") != len(self.turns) + 1:
            raise row.wrong("turn", f"{len(self.turns) + 1}, the next one of run '{row.word('run')}'")
        if self._names(row) != self.named:
            told = f"{row.where}: run '{row.word('run')}' has another agent, group or kind than before"
            raise UsageError(told, hint=SCHEMA_HINT)
        turn = row.turn()
        if self.turns and turn.chain < self.turns[-1].chain:
            raise row.wrong("chain", f"{self.turns[-1].chain} or more, as the turn before")
        self.turns.append(turn)
        self.verified.append(row.flag("verified"))
        self.full = self.full or bool(row.flag("full"))

    def run(self) -> LoggedRun:
        """Return the run as read."""
        run, agent, group, kind = self.named
        return LoggedRun(
            run=run,
            agent=agent,
            group=group,
            kind=kind,
            turns=tuple(self.turns),
            verified=tuple(self.verified),
            full=self.full,
        )

    @staticmethod
    def _names(row: _Row) -> tuple[str, str, str, str]:
        group, kind = (row.cells.get(each, "").strip() for each in ("group", "kind"))
        return row.word("run"), row.word("agent"), group, kind


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
        return data.decode("utf-8-sig")
    except IsADirectoryError:
        raise UsageError(f"{path}: is a folder", hint="name a CSV file of logged runs") from None
    except OSError as error:
        told = error.strerror or str(error)
        raise UsageError(f"{path}: {told}", hint="name a CSV file of logged runs") from None
    except (EOFError, zlib.error):
        raise UsageError(f"{path}: the gzip data is damaged", hint="copy the file again") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not UTF-8 at byte {error.start}", hint=SCHEMA_HINT) from None


def _columns(names: Iterable[str]) -> str:
    listed = list(names)
    return f"the column{'s' * (len(listed) > 1)} {', '.join(listed)}"
