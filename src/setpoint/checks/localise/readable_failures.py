"""Making failures ready to be read: placed, worst first, with the code around the cause."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from setpoint.checks.localise.distance_to_change import Changes, placed
from setpoint.model.evidence import Failure
from setpoint.model.failure_clusters import Cluster, clustered
from setpoint.model.ids import Commit
from setpoint.system.git.git import contents

WITH_CODE = 8
"""Causes whose first failure gets the code around it."""
WITH_DETAIL = 20
"""Causes whose first failure keeps all of its detail and frames; what other failures keep is shorter."""
SHORT_DETAIL = 300
AROUND = 2
"""Lines of code before and after the one that raised."""
_LONGEST_LINE = 160


async def readable(
    root: Path,
    commit: Commit,
    failures: Iterable[Failure],
    changes: Changes,
    stood: Collection[str] | None,
    alone: Callable[[str], str] | None = None,
) -> tuple[Failure, ...]:
    """Return failures placed, cause by cause and worst first.

    `stood` failed at the base, none: unknown; `alone` gives the command that runs one test.
    """
    known = [
        placed(failure, changes).model_copy(update={"new": stood is not None and failure.test not in stood})
        for failure in failures
    ]
    clusters = clustered(known)
    wanted = {cluster.first.file for cluster in clusters[:WITH_CODE] if cluster.first.line}
    held = await contents(root, commit, sorted(wanted)) if wanted else {}
    sources = {path: text.decode("utf-8", "replace") for path, text in held.items()}
    ordered = [_trimmed(cluster, place, sources) for place, cluster in enumerate(clusters)]
    return tuple(
        each.model_copy(update={"command": alone(each.test)}) if alone and each is cluster[0] else each
        for cluster in ordered
        for each in cluster
    )


def _trimmed(cluster: Cluster, place: int, sources: Mapping[str, str]) -> list[Failure]:
    first, *others = cluster.failures
    if place < WITH_CODE:
        first = first.model_copy(update={"code": around(sources.get(first.file, ""), first.line)})
    kept = [_shortened(failure) for failure in others]
    return [first if place < WITH_DETAIL else _shortened(first), *kept]


def _shortened(failure: Failure) -> Failure:
    return failure.model_copy(
        update={"detail": failure.detail[-SHORT_DETAIL:], "frames": failure.frames[-1:]}
    )


def around(source: str, line: int) -> str:
    """Return the lines around one, numbered, that one marked; empty where the source does not hold it."""
    lines = source.split("\n")
    if not source or not 1 <= line <= len(lines):
        return ""
    first = max(1, line - AROUND)
    shown = enumerate(lines[first - 1 : line + AROUND], start=first)
    return "\n".join(
        f"{'>' if number == line else ' '}{number:5} {text[:_LONGEST_LINE]}".rstrip()
        for number, text in shown
    )
