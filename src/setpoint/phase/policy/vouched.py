"""Say what others than the maker contribute to the proof of a round: reviewers and the test designer."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.proof import SealedTest, Vouched
from setpoint.model.run import Round
from setpoint.model.verdict import Judgement, Verdict


def vouched(rounds: Sequence[Round], sealed: tuple[SealedTest, ...]) -> Vouched:
    """Return what reviewers said of the tests of the last round, and the tests that the maker never saw.

    What they named in an earlier round counts as long as no test has changed since.
    """
    named: tuple[str, ...] = ()
    every = False
    for each in rounds:
        if each.chain != rounds[-1].chain or any(is_test_path(path) for path in each.snapshot.files):
            named, every = (), False
        if (verdict := _approved(each)) is not None:
            named, every = (*named, *verdict.expressing), every or verdict.all_express
    return Vouched(sealed=sealed, reviewed=tuple(dict.fromkeys(named)), all_reviewed=every)


def _approved(past: Round) -> Verdict | None:
    verdict = past.verdict
    if verdict is None or verdict.judgement is not Judgement.APPROVE or verdict.blocking:
        return None
    return verdict
