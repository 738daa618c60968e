"""Say what others than the maker contribute to the proof of a round: reviewers and the test designer."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.proof import NOTHING_LOST, HiddenTest, Vouched
from setpoint.model.run import Round
from setpoint.model.verdict import Judgement, Verdict


def vouched(
    rounds: Sequence[Round],
    hidden: tuple[HiddenTest, ...],
    readable: str = "",
    lacking: tuple[str, ...] = (),
) -> Vouched:
    """Return what others than the maker contribute to the proof of the last round.

    What they named in an earlier round counts as long as no test has changed since.
    """
    named: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    every = False
    for each in rounds:
        if each.chain != rounds[-1].chain or any(is_test_path(path) for path in each.snapshot.files):
            named, by, every = (), (), False
        if (verdict := _approved(each)) is not None:
            named, by = (*named, *verdict.expressing), (*by, *verdict.expressed_by)
            every = every or verdict.all_express
    last = _approved(rounds[-1])
    return Vouched(
        hidden=hidden,
        readable=readable,
        lacking=lacking,
        reviewed=tuple(dict.fromkeys(named)),
        all_reviewed=every,
        by=", ".join(dict.fromkeys(by)),
        reviewers=last.approved_by if last else (),
        still_red=tuple(dict.fromkeys(test for each in rounds for test in _sent_back_for(each))),
    )


def reproductions(verdicts: Sequence[Verdict]) -> dict[str, HiddenTest]:
    """Return what showed objections on a change of the run, by fingerprint; those withdrawn are left out."""
    gone = {each.fingerprint for verdict in verdicts for each in verdict.settled if each.withdrawn}
    every = {name: test for each in verdicts for name, test in each.reproductions.items()}
    return {name: test for name, test in every.items() if name not in gone}


def _sent_back_for(past: Round) -> tuple[str, ...]:
    """Return the tests that failed before and still did, for which a round was sent back."""
    missing = past.proof.missing if past.proof else ()
    return tuple(test for each in missing if each.name == NOTHING_LOST for test in each.evidence)


def _approved(past: Round) -> Verdict | None:
    verdict = past.verdict
    if verdict is None or verdict.judgement is not Judgement.APPROVE or verdict.blocking:
        return None
    return verdict
