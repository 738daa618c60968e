"""The quarantine file: read as it was written, by a person too; damage is named; two writers lose nothing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.checks.flaky.quarantine import QuarantineFile
from setpoint.errors import SettingsError
from setpoint.model.flaky import PutBy, Quarantined

ZONELESS = b'[[test]]\ntest = "a"\nby = "person"\nsince = 2026-03-01T09:00:00\nuntil = 2026-03-01T09:00:00Z\n'
AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def entry(test: str = "t.py::a", **more: object) -> Quarantined:
    values = {
        "test": test,
        "since": AT,
        "until": AT + timedelta(days=14),
        "by": PutBy.PERSON,
        "reason": "net",
    }
    return Quarantined(**{**values, **more})


def at(folder: Path) -> QuarantineFile:
    return QuarantineFile(folder / "quarantine.toml", folder / "locks" / "quarantine.lock")


@given(tests=st.lists(st.text(), max_size=4), reason=st.text())
def test_what_is_written_is_read_again(tmp_path_factory, tests: list[str], reason: str) -> None:
    file = at(tmp_path_factory.mktemp("q"))
    entries = tuple(entry(test, reason=reason, since=AT + timedelta(microseconds=7)) for test in tests)

    assert file.change(lambda _: entries) == entries
    assert file.entries() == entries


def test_a_file_that_is_not_there_is_empty_and_not_made(tmp_path: Path) -> None:
    file = at(tmp_path)
    assert file.entries() == ()
    file.change(lambda held: held)
    assert not file.path.exists()


def test_a_person_can_write_it(tmp_path: Path) -> None:
    text = '[[test]]\ntest = "t.py::a"\nsince = 2026-03-01T09:00:00Z\nuntil = 2026-03-15T09:00:00Z\n'
    (tmp_path / "quarantine.toml").write_text(text + 'by = "person"\nreason = "net"\n')
    assert at(tmp_path).entries() == (entry(),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"[[test]\n", "cannot be read: .*line 1"),
        (b"\xff\xfe", "cannot be read"),
        (b'[[test]]\ntest = "a"\n', "test.0.since: Field required"),
        (ZONELESS, "test.0.since: .*without a zone"),
    ],
)  # fmt: skip
def test_damage_is_named_with_its_place_and_the_file_is_left_alone(tmp_path: Path, text: bytes, said) -> None:
    file = at(tmp_path)
    file.path.write_bytes(text)
    for way in (file.entries, lambda: file.change(lambda _: (entry(),))):
        with pytest.raises(SettingsError, match=f"quarantine.toml: {said}") as refused:
            way()
        assert refused.value.hint
    assert file.path.read_bytes() == text


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    def add(number: int) -> None:
        at(tmp_path).change(lambda held: (*held, entry(f"t.py::{number}")))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(24)))

    assert {each.test for each in at(tmp_path).entries()} == {f"t.py::{number}" for number in range(24)}
