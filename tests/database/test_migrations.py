"""Each migration keeps the data of every earlier layout, and code of that layout goes on beside it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from database import postgres
from setpoint.database import connect
from setpoint.database.connect import HEAD, OLDEST, Store, open_store
from setpoint.errors import RecordedDataError

LAYOUTS = [f"{number:04}" for number in range(1, int(HEAD))]
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Place:
    """A database that is not made yet."""

    def __init__(self, where: Path | str) -> None:
        self.where = where
        self.store = Store(where / "app.db" if isinstance(where, Path) else where)
        sqlite = isinstance(where, Path)
        self.engine = connect._sqlite(where / "app.db") if sqlite else connect._postgres(where)

    def close(self) -> None:
        self.store.close()
        self.engine.dispose()

    def lead_to(self, layout: str) -> None:
        """Migrate as a version of Setpoint with that layout did."""
        config = Config()
        config.set_main_option("script_location", str(Path(connect.__file__).with_name("migrations")))
        config.set_main_option("path_separator", "os")
        with self.changing() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, layout)

    def changing(self) -> Any:
        return connect._writing(self.engine)

    def tables(self) -> list[sa.Table]:
        found = sa.MetaData()
        found.reflect(self.engine)
        return [table for table in found.sorted_tables if table.name != "alembic_version"]

    def read(self, tables: list[sa.Table]) -> dict[str, list[tuple[Any, ...]]]:
        with self.engine.begin() as connection:
            return {each.name: [tuple(row) for row in connection.execute(sa.select(each))] for each in tables}

    def newer(self, oldest: str | None) -> None:
        """Let it look as if a later version of Setpoint had migrated it."""
        with self.changing() as connection:
            words = sa.text("UPDATE alembic_version SET version_num = '9999', oldest = :oldest")
            connection.execute(words, {"oldest": oldest})


@pytest.fixture(params=["sqlite", *postgres.WHERE_GIVEN])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path if request.param == "sqlite" else postgres.empty_database())
    yield made
    made.close()


def some_row(table: sa.Table, number: int) -> dict[str, Any]:
    """Fill every column; what refers to another table names its row of the same number."""
    values: dict[type, Any] = {str: f"text {number} % ' é", int: number, float: number / 8, bool: True}
    values |= {datetime: AT, bytes: bytes([number, 0, 255])}
    return {column.name: values[column.type.python_type] for column in table.columns}


@pytest.mark.filterwarnings("ignore:.*expression-based index")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_data_of_each_earlier_layout_is_kept_and_its_code_goes_on(place: Place, layout: str) -> None:
    place.lead_to(layout)
    tables = place.tables()
    with place.changing() as connection:
        for table in tables:
            connection.execute(sa.insert(table), [some_row(table, 1), some_row(table, 2)])
    before = place.read(tables)
    assert before
    assert all(len(rows) == 2 for rows in before.values())

    place.store.open(migrates=True)

    assert place.read(tables) == before
    # The tables as that layout had them: what code of that time reads and writes still works.
    with place.changing() as connection:
        for table in tables:
            connection.execute(sa.insert(table), some_row(table, 3))
    assert {name: len(rows) for name, rows in place.read(tables).items()} == dict.fromkeys(before, 3)
    (recorded,) = place.store.rows("SELECT * FROM alembic_version")
    assert (recorded["version_num"], recorded["oldest"]) == (HEAD, OLDEST)


@pytest.mark.parametrize("oldest", [OLDEST, HEAD])
def test_a_newer_layout_that_only_adds_is_worked_on(place: Place, oldest: str) -> None:
    place.store.open(migrates=True)
    place.newer(oldest)
    again = open_store(place.where)
    assert again.rows("SELECT * FROM event") == []
    again.close()


@pytest.mark.parametrize("oldest", [None, "9998"])
def test_a_newer_layout_that_took_something_away_is_left_alone(place: Place, oldest: str | None) -> None:
    place.store.open(migrates=True)
    place.newer(oldest)
    with pytest.raises(
        RecordedDataError, match=rf"newer version of Setpoint \(layout 9999, known up to {HEAD}"
    ):
        open_store(place.where)


@pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named")
@pytest.mark.parametrize("layout", ["", "0009"])
def test_the_tables_of_a_server_are_changed_where_it_is_asked_for_alone(layout: str) -> None:
    place = Place(postgres.empty_database())
    if layout:
        place.lead_to(layout)
    told = f"has layout {layout}" if layout else "has no tables of Setpoint"
    with pytest.raises(RecordedDataError, match=f"{told}, and this version needs {HEAD}") as refused:
        open_store(place.where)
    assert refused.value.hint.startswith("`setpoint db migrate`")
    assert "lease" not in sa.inspect(place.engine).get_table_names()
    place.close()
