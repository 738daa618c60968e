"""Decide which stories a worker may take up now: pure functions of the board, the limits and the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple

from setpoint.model.config.limits import BoardLimits
from setpoint.model.ids import StoryId
from setpoint.model.stories.board import ActionKind, Card, NextAction
from setpoint.model.wording import counted, enumerated

Window = tuple[time, time] | None
"""When hours begin and end, in local time; the end may be on the next day. None: no hours."""


class ShiftSoFar(NamedTuple):
    """What a worker has done in its shift."""

    spent_usd: Decimal = Decimal(0)
    seconds: float = 0.0
    """Since it took up its first story."""
    taken: Collection[StoryId] = ()
    running: Collection[StoryId] = ()
    room: int | None = None
    """How many more may begin beside those; none: as many as `jobs` leaves."""
    asking: Sequence[StoryId] = ()
    """Stories that it worked on and that need a person."""
    broken: str = ""
    """Why the agent broke in the newest stories; empty where it did not."""


def shift_at(local: datetime, window: Window) -> str:
    """Name the shift of a local time by the day on which it began; empty outside the hours."""
    begin, end = window or (time.min, time.max)
    now, day = local.time(), local.date()
    if window is None or (begin <= now and (now < end or end < begin)):
        return day.isoformat()
    return (day - timedelta(days=1)).isoformat() if now < end < begin else ""


def choose(
    cards: Iterable[Card],
    limits: BoardLimits,
    so_far: ShiftSoFar,
    left: Mapping[StoryId, NextAction | None],
    files: Callable[[StoryId], frozenset[str]],
) -> tuple[tuple[Card, ...], str]:
    """Choose the stories that begin now, the most urgent first, or say which limit keeps all from it.

    `left` says what was to be done of a story when its last run ended: it begins again only once that is
    something else, and never where it says None. Stories with a file in common do not run at once.
    """
    if limit := _limit(limits, so_far):
        return (), limit
    found, held = list[Card](), set[str]().union(*map(files, so_far.running))
    most = limits.jobs - len(so_far.running) if so_far.room is None else so_far.room
    room = float("inf") if limits.max_stories is None else limits.max_stories - len(so_far.taken)
    full = f"taken up already: {counted(len(so_far.taken), 'story')} (board.max_stories)" if room <= 0 else ""
    for card in cards:
        if len(found) >= most:
            break
        tried = card.id in so_far.running or (card.id in left and left[card.id] in (None, card.action))
        fresh = card.id not in so_far.taken
        if not card.action.automatic or tried or (fresh and room <= 0):
            continue
        own = files(card.id)
        if held.isdisjoint(own):
            held |= own
            found.append(card)
            room -= fresh
    return tuple(found), "" if found else full


def _limit(limits: BoardLimits, so_far: ShiftSoFar) -> str:
    """Say which limit keeps every story from being taken up."""
    cost, seconds = so_far.spent_usd, so_far.seconds
    if so_far.broken:
        return so_far.broken
    if limits.stop_for_person and so_far.asking:
        return f"{so_far.asking[0]} needs a person (board.stop_for_person)"
    if limits.max_cost_usd > 0 and cost >= limits.max_cost_usd:
        return f"${cost:.2f} of ${limits.max_cost_usd:.2f} are spent (board.max_cost_usd)"
    if limits.max_wall_s is not None and seconds >= limits.max_wall_s:
        return f"{seconds:.0f} of {limits.max_wall_s:.0f} seconds are over (board.max_wall_s)"
    return ""


def why_idle(cards: Iterable[Card], left: Mapping[StoryId, NextAction | None]) -> str:
    """Say what the stories wait for of which none can begin."""
    found = Counter(_waits_for(card, left) for card in cards if card.action.kind is not ActionKind.REST)
    waits = [
        f"{counted(count, 'story')} {'waits' if count == 1 else 'wait'} for {what}"
        for what, count in found.items()
    ]
    return f"nothing is ready: {enumerated(waits)}" if waits else "nothing is ready: every story is done"


def _waits_for(card: Card, left: Mapping[StoryId, NextAction | None]) -> str:
    if card.action.automatic:
        return "the next shift" if card.id in left else "its turn"
    return "other stories" if card.action.kind is ActionKind.WAIT else "a person"
