"""Say what the maker tried on protected files and what Setpoint restored: facts for a person's decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from setpoint.model.run import Round
from setpoint.model.wording import shortened

_SOURCE, _RULE = "integrity", "protected"
_MOST = 3
_JUDGED = "; judged as it was at the base"


def restored_in(judged: Round) -> tuple[str, ...]:
    """Return what was restored in a round, each as `path: what was done to it`."""
    findings = [each for each in judged.evaluation.findings if (each.source, each.rule) == (_SOURCE, _RULE)]
    told = [each.message.removesuffix(_JUDGED) for each in findings]
    known = {each.file for each in findings}
    paths = (*judged.snapshot.restored, *judged.evaluation.restored)
    return tuple(dict.fromkeys([*told, *(path for path in paths if path not in known)]))


def listed(tried: Sequence[str]) -> str:
    """Return the first of them in one line."""
    more = f"; and {len(tried) - _MOST} more" if len(tried) > _MOST else ""
    return f"{'; '.join(shortened(each, 160) for each in tried[:_MOST])}{more}"


def restored_in_all(rounds: Sequence[Round]) -> str:
    """Return what was restored in several rounds, each with how often; empty for nothing."""
    counts = Counter(each for judged in rounds for each in restored_in(judged))
    return listed([f"{each} ({_times(count)})" for each, count in counts.most_common()])


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
