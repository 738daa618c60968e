"""The last line of `setpoint verify`."""

import pytest

from setpoint.app.checks.attest import Verification
from setpoint.cli.runs.verify import _print
from setpoint.model.evidence import CheckState
from setpoint.phase.evidence_rerun import Compared

PASS, FAIL, LEFT = CheckState.PASS, CheckState.FAIL, CheckState.NOT_MEASURED


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ((PASS, PASS), "the evidence holds"),
        ((PASS, LEFT), "the rest of the evidence holds; not measured again: same calls"),
        ((FAIL, LEFT), "the evidence does NOT hold"),
    ],
)
def test_what_is_not_measured_again_is_no_contradiction(capsys, now, said):
    compared = tuple(
        Compared(check=name, recorded=PASS, recorded_counts={}, now=state, now_counts={})
        for name, state in zip(("pytest", "same calls"), now, strict=True)
    )
    _print(Verification(compared))

    assert capsys.readouterr().out.splitlines()[-1] == said
