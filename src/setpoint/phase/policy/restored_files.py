"""Say which files were restored to the base: facts for a person's decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from setpoint.model.run import Round
from setpoint.model.wording import shortened

_MOST = 3


def restored_in(judged: Round) -> tuple[str, ...]:
    """Return the paths that were restored in a round."""
    return tuple(dict.fromkeys((*judged.snapshot.restored, *judged.evaluation.restored)))


def listed(paths: Sequence[str]) -> str:
    """Return the first of them in one line."""
    more = f"; and {len(paths) - _MOST} more" if len(paths) > _MOST else ""
    return f"{'; '.join(shortened(each, 160) for each in paths[:_MOST])}{more}"


def restored_in_all(rounds: Sequence[Round]) -> str:
    """Return what was restored in several rounds, each with how often; empty for nothing."""
    counts = Counter(each for judged in rounds for each in restored_in(judged))
    return listed([f"{each} ({_times(count)})" for each, count in counts.most_common()])


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
