from __future__ import annotations

import pytest
from pydantic import ValidationError

from setpoint.model.halting import LoggedRun, TurnState

TURN = TurnState(number=1, gates=False, failing=4, quality=0.65)


def test_a_logged_run_is_read_as_it_was_written():
    run = LoggedRun(run="r1", agent="mechanic 1", turns=(TURN,), verified=(None,), full=True)
    assert LoggedRun.model_validate_json(run.model_dump_json()) == run


def test_every_turn_of_a_logged_run_has_an_outcome_or_says_that_it_is_unknown():
    with pytest.raises(ValidationError, match="r1: 1 turns and 0 outcomes"):
        LoggedRun(run="r1", agent="mechanic 1", turns=(TURN,), verified=(), full=True)


@pytest.mark.parametrize("wrong", [{"number": 0}, {"failing": -1}, {"quality": 1.2}])
def test_a_turn_outside_its_bounds_is_refused(wrong):
    with pytest.raises(ValidationError):
        TurnState.model_validate(TURN.model_dump() | wrong)
