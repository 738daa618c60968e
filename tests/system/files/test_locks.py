import os
from pathlib import Path

import pytest

from setpoint.errors import RunInUse
from setpoint.model.ids import TraceId
from setpoint.system.files.locks import RunLocks

ONE, TWO = TraceId("run-one"), TraceId("run-two")


def test_a_run_has_one_owner_who_can_be_told(tmp_path: Path) -> None:
    locks = RunLocks(tmp_path)
    assert locks.owner(ONE) is None
    with locks.held(ONE):
        assert locks.owner(ONE) == os.getpid()
        assert locks.owner(TWO) is None
        with (
            pytest.raises(RunInUse, match=f"run-one is being worked on by process {os.getpid()}"),
            locks.held(ONE),
        ):
            pass
        assert locks.owner(ONE) == os.getpid()
        with locks.held(TWO):
            assert locks.owner(TWO) == os.getpid()
    assert locks.owner(ONE) is None
    with locks.held(ONE):
        assert locks.owner(ONE) == os.getpid()


def test_an_owner_that_has_not_written_its_id_yet_is_one_all_the_same(tmp_path: Path) -> None:
    locks = RunLocks(tmp_path)
    with locks.held(ONE):
        (tmp_path / "locks" / "run-one.lock").write_text("")
        assert locks.owner(ONE) == 0
        with pytest.raises(RunInUse, match="process unknown"), locks.held(ONE):
            pass
