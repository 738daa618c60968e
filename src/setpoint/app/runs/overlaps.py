"""Which delivered branches conflict with each other, known before anybody merges them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from setpoint.app.runs.board import list_cards
from setpoint.model.ids import Commit
from setpoint.model.stories.board import Card, Overlap
from setpoint.model.stories.story import Status
from setpoint.system.files.atomic import write_atomic
from setpoint.system.git.git import ask_at_once
from setpoint.system.git.merge import conflicts
from setpoint.wiring.project import Project

_FILE = "overlaps.json"
Known = dict[str, list[str]]
"""Files that conflict, by the two commits."""


def cards_with_overlaps(project: Project) -> tuple[Card, ...]:
    """Return the board, each delivered story with those that it conflicts with."""
    cards = list_cards(project)
    tips = _open_tips(project.root)
    delivered = [card for card in cards if card.status is Status.DONE and card.branch in tips]
    if len(delivered) < 2:  # noqa: PLR2004 - one alone overlaps with nothing
        return cards
    found: dict[str, list[Overlap]] = {card.id: [] for card in delivered}
    merges = _merged_on_trial(project, [tips[card.branch] for card in delivered])
    for one, other in combinations(delivered, 2):
        if files := merges[_pair(tips[one.branch], tips[other.branch])]:
            found[one.id].append(Overlap(story=other.id, files=tuple(files)))
            found[other.id].append(Overlap(story=one.id, files=tuple(files)))
    return tuple(card.model_copy(update={"overlaps": tuple(found.get(card.id, ()))}) for card in cards)


def _open_tips(root: Path) -> dict[str, Commit]:
    """Return the ends of the branches that are not merged into what is checked out."""
    answer = ask_at_once(
        root, "for-each-ref", "--no-merged=HEAD", "--format=%(objectname) %(refname)", "refs/heads/"
    )
    lines = (line.split(" refs/heads/", 1) for line in answer.text.splitlines()) if answer.ok else ()
    return {name: Commit(tip) for tip, name in lines}


def _merged_on_trial(project: Project, tips: Sequence[Commit]) -> Known:
    """Merge each pair on trial, once for all: two commits always conflict in the same files."""
    path = project.state / _FILE
    try:
        known: Known = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        known = {}
    now = Known()
    for one, other in combinations(sorted(tips), 2):
        name = _pair(one, other)
        now[name] = known[name] if name in known else list(conflicts(project.root, one, other))
    if now != known:
        write_atomic(path, json.dumps(now))
    return now


def _pair(one: Commit, other: Commit) -> str:
    return " ".join(sorted((one, other)))
