"""Judge whether lock files agree with what their projects declare."""

from __future__ import annotations

from collections.abc import Collection

from setpoint.checks.proof.kinds.locks.pairs import declares, pairs_of
from setpoint.checks.proof.subject import Subject, listed
from setpoint.model.ids import Commit
from setpoint.model.proof import Obligation, ObligationState, WorkKind
from setpoint.system.git.git import contents

_NAME = "lock file"


async def lock_file(subject: Subject) -> tuple[Obligation, ...]:
    """Compare each changed declaration of dependencies with its lock file, by reading both."""
    if subject.work is not WorkKind.CHORE:
        return ()
    changed = frozenset(subject.paths)
    pairs = [each for each in pairs_of(subject.target.files) if {each.manifest, each.lock} & changed]
    if not pairs:
        alone = [path for path in subject.after if declares(path)]
        why = (
            f"{listed(alone)} has no lock file beside it"
            if alone
            else "no dependency is declared in the change"
        )
        return (Obligation(name=_NAME, state=ObligationState.NOT_APPLICABLE, reason=why),)
    wanted = [path for pair in pairs for path in (pair.manifest, pair.lock)]
    now = await _texts(subject, subject.place.commit, wanted)
    base = await _texts(subject, subject.base.commit, wanted)
    wrong, agree, unknown = [], [], []
    for pair in pairs:
        said, before = pair.differs(now), pair.differs(base)
        if said and not (before and set(said) <= set(before)):
            wrong.append(f"{pair.lock} disagrees with {pair.manifest} ({listed(said)})")
        elif said is None:
            unknown.append(f"{pair.lock} cannot be compared by reading")
        elif said:
            unknown.append(f"{pair.lock} disagreed at the base too")
        else:
            agree.append(pair.lock)
    if wrong:
        reason = f"{'; '.join(wrong)}: lock the dependencies again"
        return (Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason),)
    notes = [f"{listed(agree)} agrees with what is declared, by reading"] if agree else []
    state = ObligationState.MET if agree else ObligationState.NOT_APPLICABLE
    return (Obligation(name=_NAME, state=state, reason="; ".join([*notes, *unknown]), evidence=tuple(agree)),)


async def _texts(subject: Subject, commit: Commit, paths: Collection[str]) -> dict[str, str]:
    held = await contents(subject.place.copy.path, commit, paths)
    return {path: content.decode("utf-8", "replace") for path, content in held.items()}
