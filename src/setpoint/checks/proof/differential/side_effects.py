"""Judge what a change does beside its answers: to arguments, to what others hold, to the language itself."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from setpoint.checks.proof.differential.comparison import Compared, judged
from setpoint.checks.proof.differential.functions import instrumented
from setpoint.checks.proof.sensitivity.changed_function import Insertion
from setpoint.checks.proof.subject import MOST_NAMED, Subject, listed
from setpoint.checks.proof.witness import witness
from setpoint.model.proof import Obligation, ObligationState, Trust
from setpoint_probe.wire.calls import NEXT_CALL, VALUE, Call

_NAME = "side effects"
_FEWEST = 3
"""Calls that the base has to answer without changing an argument before it can be said to leave it alone."""
_CHANGING = re.compile(r"\b(?:in[- ]place|mutat\w+|modif\w+|side[- ]effects?)\b", re.IGNORECASE)
_SHARING = re.compile(
    r"\b(?:cach\w+|memo\w*|shar\w+|same (?:list|array|object|instance|map|set|dict\w*)|reus\w+"
    r"|singleton|identity|in[- ]place|cop(?:y|ies|ying)|lazy|lazily|once)\b",
    re.IGNORECASE,
)
_PATCHING = re.compile(
    r"\b(?:(?:monkey)?patch\w*|builtins?|built-ins?|prototype|polyfill\w*|globals?|globalThis|hooks?)\b",
    re.IGNORECASE,
)
_Argument = tuple[str, str]
"""A function, and an argument of it."""


async def side_effects(subject: Subject, found: Compared) -> tuple[Obligation | None, Trust | None]:
    """Compare what calls do beside their answers; nothing where both sides do the same.

    An argument that the base leaves alone may be changed if a test needs it; its trust is returned, too.
    """
    wish = subject.task.story.wish
    said: list[str] = []
    if not _PATCHING.search(wish):
        names = [name for name in found.altered if name not in wish]
        said += [f"the code changes {listed(names)}, which belongs to the whole program"] if names else []
    if not _SHARING.search(wish):
        said += _shared(found)
    changed = {} if _CHANGING.search(wish) else _changed(found)
    needed, trust = await _needed(subject, found, changed) if changed else (set(), None)
    said += [
        f"{found.shown(call.number)}: the base leaves this argument as it is, and no test needs it changed"
        for each, call in changed.items()
        if each not in needed
    ]
    if not said:
        return None, trust
    reason = f"{listed(said)}: leave alone what the request does not speak of"
    evidence = tuple(said[:MOST_NAMED])
    return Obligation(name=_NAME, state=ObligationState.NOT_MET, reason=reason, evidence=evidence), None


def _shared(found: Compared) -> Iterator[str]:
    """Yield what a function gives that is shared with others, and is the caller's own at the base."""
    told: set[str] = set()
    for call in judged(found):
        before, now = found.before.get(call.number), found.now.get(call.number)
        if call.name in told or now is None or not now.shares or (before is not None and before.shares):
            continue
        if before is not None and before.kind == VALUE:
            told.add(call.name)
            yield f"what {call.shown} gives is {now.shares[0]}, too; at the base it is the caller's alone"
        elif NEXT_CALL in now.shares:
            told.add(call.name)
            yield f"what {call.shown} gives is {NEXT_CALL}, too"


def _changed(found: Compared) -> dict[_Argument, Call]:
    """Return arguments that the result changes and the base never does, each with the shortest call."""
    left: dict[str, int] = defaultdict(int)
    before: set[_Argument] = set()
    now: dict[_Argument, Call] = {}
    for call in sorted(judged(found), key=lambda each: len(each.shown)):
        both = found.both(call.number)
        if both is None or (both[0].kind, both[1].kind) != (VALUE, VALUE):
            continue
        left[call.name] += 1
        before.update((call.name, each) for each in both[0].changes)
        for each in both[1].changes:
            now.setdefault((call.name, each), call)
    return {each: call for each, call in now.items() if each not in before and left[each[0]] >= _FEWEST}


async def _needed(
    subject: Subject, found: Compared, changed: Iterable[_Argument]
) -> tuple[set[_Argument], Trust | None]:
    """Return the arguments that some test needs changed: it fails if the function begins with a copy of them.

    Arguments that cannot be copied so count as needed.
    """
    copies = {each: found.functions.copying.get(each[0], {}).get(each[1]) for each in changed}
    needed = {each for each, copy in copies.items() if copy is None}
    tests = sorted(witness.passed_in(subject.now.tests))
    trusts: list[Trust] = []
    for each, copy in copies.items():
        if copy is None:
            continue
        red = await _red_with(subject, {each[0].partition("::")[0]: (copy,)}, tests)
        if red:
            needed.add(each)
            known = subject.base.tests.outcomes if subject.base.tests else {}
            trusts.append(Trust.PERSON if red & known.keys() else Trust.ANY)
    return needed, Trust.ANY if Trust.ANY in trusts else None


async def _red_with(
    subject: Subject, copies: Mapping[str, tuple[Insertion, ...]], tests: list[str]
) -> frozenset[str]:
    """Return the tests that do not pass with functions that begin with copies."""
    there = await subject.checked_out()
    for path, text in instrumented(copies, subject.after, Path(there.copy.path)).items():
        await asyncio.to_thread((Path(there.copy.path) / path).write_bytes, text)
    return frozenset(tests) - witness.passed_in(await subject.run_tests(tests, there))
