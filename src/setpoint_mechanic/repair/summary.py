"""What the mechanic says of its work: what it did, how sure that is, what it saw where it did nothing."""

from __future__ import annotations

from collections.abc import Sequence

from setpoint.model.wording import counted
from setpoint_mechanic.engine.wire.repair import Patch, Result
from setpoint_mechanic.repair.edits import Applied

_MOST = 5
_FAMILIES = 12
_WEAK = {
    "negation": "It inverts a condition for every input: such an edit fits a few tests by chance.",
    "condition": "It asks something else in a condition: it fits tests by chance where that is always so.",
    "unguarded": "It drops a condition: such an edit fits tests by chance that do not need the condition.",
    "statement": "It leaves out a statement: it fits tests by chance that do not need the statement.",
}
NO_FEATURES = (
    "The mechanic applies fixes that tools offer and searches for small repairs of failing tests. "
    "It does not implement features or play other roles."
)


def told_fixes(applied: Sequence[Applied]) -> list[str]:
    """Say which fixes were applied and which were not."""
    if not applied:
        return []
    good = [each for each in applied if each.ok]
    lines = [f"Applied {len(good)} of {len(applied)} offered fixes."]
    for each in applied:
        mark = "applied" if each.ok else "not applied"
        lines.append(f"- {each.finding.file}:{each.finding.line} {each.finding.rule}: {mark}: {each.note}")
    return lines


def told_repair(result: Result) -> list[str]:
    """Say what the search gave."""
    effort = (
        f"Tried {result.tried} of {result.candidates} candidate edits ({result.timeouts} ran into the time "
        f"limit, {result.discarded} did not compile) in {_taken(result)}, {result.mode}"
        f"{f' ({result.mode_reason})' if result.mode_reason else ''}."
    )
    if result.patches:
        best, others = result.patches[0], result.patches[1:]
        return [*_told_patch(best), _doubt(best, others), effort, *_told_alternatives(others)]
    lines = [f"No repair was found: {result.reason} ({result.status}).", effort]
    if result.not_failing:
        lines.append(f"These tests did not fail here: {', '.join(result.not_failing[:_MOST])}.")
    if result.skipped_files:
        lines += ["Files that could not be edited:", *(f"- {each}" for each in result.skipped_files[:_MOST])]
    if result.suspects:
        lines.append("Most suspicious lines:")
        lines += [f"- {each.file}:{each.line} ({each.score:.2f}) {each.text}" for each in result.suspects]
    if result.families:
        tried = ", ".join(f"{name} {count}" for name, count in list(result.families.items())[:_FAMILIES])
        lines.append(f"Tried by family of edits: {tried}.")
    lines.append(
        "Every known single edit on these lines was tried; the mend is larger, or lies elsewhere."
        if result.status == "exhausted"
        else "Not every known edit was tried: more time would reach further."
        if result.status == "budget"
        else "There was nothing to be tried."
    )
    return lines


def _taken(result: Result) -> str:
    """Say how long a search took; runners of other languages tell no CPU time."""
    return (
        f"{result.cpu_s:.1f} CPU seconds" if result.cpu_s else f"{sum(result.seconds.values()):.0f} seconds"
    )


def _told_patch(patch: Patch) -> list[str]:
    seen = "seen in a fresh process too" if patch.confirmed else "not yet seen in a fresh process"
    still = _passing(patch.checked, "other").replace(" pass", " still pass")
    lines = [
        f"Changed {patch.file}:{patch.line} ({patch.template}).",
        f"{_passing(len(patch.cleared), 'failing test')} with it, {still}, {seen}.",
    ]
    if patch.template in _WEAK:
        lines.append(_WEAK[patch.template])
    if patch.remaining:
        lines.append(f"Still failing: {', '.join(patch.remaining[:_MOST])}.")
    return [*lines, "", patch.diff]


def _passing(count: int, noun: str) -> str:
    return f"{counted(count, noun)} {'passes' if count == 1 else 'pass'}"


def _doubt(best: Patch, others: Sequence[Patch]) -> str:
    """Say how far the patch can be believed, and why not further."""
    start = "The patch is plausible, not proven: it satisfies the tests that were run"
    unlike = next((each.unlike for each in others if each.unlike), "")
    if unlike:
        return f"{start}, and so does another that behaves otherwise: {unlike}. A test of that would decide."
    if not best.inputs:
        return f"{start}; no inputs could be made to compare it with other repairs."
    if best.alike:
        return (
            f"{start}; {best.alike} other repairs were found that give the same on all {best.inputs} inputs "
            "tried, from the tests and near them."
        )
    return f"{start}; on {best.inputs} inputs tried, no other repair was found to compare it with."


def _told_alternatives(patches: Sequence[Patch]) -> list[str]:
    if not patches:
        return []
    return [
        "",
        "Other patches that would satisfy the same tests:",
        *(
            f"{f'Differs on {each.unlike}{chr(10)}' if each.unlike else ''}{each.diff}"
            for each in patches[:_MOST]
        ),
    ]
