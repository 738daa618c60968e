"""All notes of a change."""

from __future__ import annotations

from collections import Counter

from setpoint.checks.notes.assertions import of_assertions, of_test_values
from setpoint.checks.notes.change import Change
from setpoint.checks.notes.lock_hosts import of_lock_hosts
from setpoint.checks.notes.patterns import of_files, of_lines
from setpoint.checks.notes.thresholds import of_thresholds
from setpoint.checks.tree_diff import Work
from setpoint.model.finding import Note

MOST_OF_A_RULE = 10
"""More notes of one rule than this are counted in one."""
_MOST_TEXT = 2_000_000
"""Larger files are not read."""
_OF_ANY_FILE = (of_files, of_lock_hosts)
_OF_HAND = (of_lines, of_thresholds, of_assertions, of_test_values)
"""Themes about the text of files that somebody wrote by hand."""


def notes_of(work: Work) -> tuple[Note, ...]:
    """Return what a reviewer may want to look at in a change."""
    found = [note for theme in _OF_ANY_FILE for note in theme(_change(work, frozenset()))]
    found += [note for theme in _OF_HAND for note in theme(_change(work, work.generated))]
    counts, shown = Counter[str](), list[Note]()
    for note in found:
        counts[note.rule] += 1
        if counts[note.rule] <= MOST_OF_A_RULE:
            shown.append(note)
    more = {rule: count - MOST_OF_A_RULE for rule, count in counts.items() if count > MOST_OF_A_RULE}
    return (*shown, *(Note(rule=rule, message=f"{count} more like these") for rule, count in more.items()))


def _change(work: Work, without: frozenset[str]) -> Change:
    before, after = (
        {path: text for path, text in texts.items() if path not in without and len(text) <= _MOST_TEXT}
        for texts in (work.before, work.after)
    )
    paths = tuple(path for path in work.changed if path not in without)
    return Change(paths=paths, before=before, after=after, is_test=work.is_test)
