"""The file in which a project keeps fitted weights and promoted halting policies, and how these do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from setpoint.errors import RecordedDataError
from setpoint.history.own_runs import watched_run
from setpoint.history.queries import RunState, RunSummary, runs
from setpoint.model.halter.canary import WatchedRun, drift, harm
from setpoint.model.halter.deployment import ActiveHalting, Demotion, HaltingBook, Promotion
from setpoint.settings import Settings
from setpoint.system.files.atomic import write_atomic
from setpoint.system.files.locks import locked_file
from setpoint.wiring.project import Project

_KEPT = "halting.json"
MOST_WATCHED = 500
"""Newest finished runs that are looked at."""


class Standing(NamedTuple):
    """How a promoted policy has done since."""

    runs: int
    """Finished runs in which it decided."""
    alarm: str
    """Why it must not decide any longer; empty where it may."""


def halting_book(project: Project) -> HaltingBook:
    """Return what the project keeps about halting; `RecordedDataError` where the file cannot be read."""
    return _read(project.state / _KEPT)


def change_book(project: Project, change: Callable[[HaltingBook], HaltingBook]) -> HaltingBook:
    """Change what is kept, alone among all processes, and return it."""
    path = project.state / _KEPT
    with locked_file(path.with_suffix(".json.lock")):
        book = change(_read(path))
        write_atomic(path, book.model_dump_json(indent=2) + "\n")
    return book


def active_halting(project: Project, settings: Settings) -> ActiveHalting:
    """Return what a run needs to know; a promotion that did harm since or has drifted ends here."""
    book = halting_book(project)
    notices, canaries = {}, []
    for agent, promotion in book.promotions.items():
        now = standing(project, promotion)
        if now.alarm:
            notices[agent] = f"{promotion.policy} was promoted and has fallen back: {now.alarm}"
            _fall_back(project, promotion, now.alarm)
        elif now.runs < settings.halting.canary_runs:
            canaries.append(agent)
    return ActiveHalting(
        book=halting_book(project) if notices else book,
        settings=settings.halting,
        canaries=tuple(canaries),
        notices=notices,
    )


def standing(project: Project, promotion: Promotion) -> Standing:
    """Return how a promoted policy has done in the runs of its agent since it was promoted."""
    since = _since(project, promotion)
    count = sum(each.assigned == promotion.policy for each in since)
    return Standing(count, harm(since, promotion.policy) or drift(since, promotion.model))


def _since(project: Project, promotion: Promotion) -> tuple[WatchedRun, ...]:
    listed = runs(project.store, lambda _: None, limit=MOST_WATCHED, recorded=(RunState.FINISHED,))
    made = (watched_run(project.log.replay(each.trace_id)) for each in listed if _later(each, promotion))
    return tuple(each for each in made if each is not None and each.run.agent == promotion.agent)


def _later(summary: RunSummary, promotion: Promotion) -> bool:
    return summary.started_at >= promotion.since


def _fall_back(project: Project, promotion: Promotion, reason: str) -> None:
    ended = Demotion(agent=promotion.agent, policy=promotion.policy, reason=reason, since=datetime.now(UTC))

    def change(book: HaltingBook) -> HaltingBook:
        # A person may have promoted another policy meanwhile.
        return book.with_demotion(ended) if book.promotions.get(promotion.agent) == promotion else book

    change_book(project, change)


def _read(path: Path) -> HaltingBook:
    try:
        return HaltingBook.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return HaltingBook()
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(each) for each in first["loc"]) or "the file"
        raise RecordedDataError(
            f"{path}: {place}: {first['msg']}",
            hint="move the file away: rules-v1 then decides, and `setpoint lab halting fit` fits new weights",
        ) from None
