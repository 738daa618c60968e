"""Trials in fresh processes: for edits that cannot be swapped, and as the last word on those that were."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from setpoint_probe.process.children import Limits, cpu_used
from setpoint_probe.session.fresh import Fresh, is_one_of
from setpoint_probe.session.session import FAILED, PASSED
from setpoint_probe.source.files import SourceFiles

from ..wire.repair import Patch, Request, digest
from .candidates import Candidate
from .search import Found, ranked
from .warm import Warm, key_of

_MOST_TESTS = 400
_ALTERNATIVES_S = 2.0
"""Seconds after which alternatives to a confirmed patch are given back as they are."""
_TRIAL_S = 15.0


@dataclass
class FreshTrials:
    """Runs fresh trials within the request's budget."""

    request: Request
    files: SourceFiles
    started: float
    """`time.monotonic()` when the work on the request began."""
    tried: int = 0
    leads: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For tests that lean on tests before them: those that run first."""

    def late(self, share: float) -> bool:
        """Return whether this share of the budget is used up."""
        used = time.monotonic() - self.started
        return used > self.request.wall_s * share or cpu_used() > self.request.cpu_s

    def search(self, candidates: Iterable[Candidate], failing: Sequence[str]) -> list[Found]:
        """Try edits, best first, until one clears all failing tests or the time is up."""
        found: list[Found] = []
        fresh = self._fresh(_TRIAL_S)
        for candidate in candidates:
            if self.late(0.9):
                break
            self.tried += 1
            text = candidate.source.edited(candidate.edits)
            outcomes = fresh.outcomes(candidate.source.path, text, failing)
            cleared = tuple(test for test in failing if all_passed(outcomes, test))
            full = len(cleared) == len(failing)
            if cleared and not (full and self._breaks_neighbours(candidate, failing)):
                found.append(Found(candidate, cleared, 0))
                if full:
                    break
        return found

    def patches(self, found: Sequence[Found], warm: Warm) -> list[Patch]:
        """Rank what was found and keep what works in a fresh process too, best first.

        Where the time is up, patches are given back unconfirmed, and say so.
        """
        began = time.monotonic()
        kept: list[Patch] = []
        places: list[int] = []
        refuted: list[int] = []
        failing = (*warm.failing, *warm.untraced)
        agreement = warm.outcome.agreement
        for each in ranked(found, agreement)[: 6 * self.request.max_patches]:
            if len(kept) >= self.request.max_patches:
                break
            patch = self._patch(each, failing)
            if patch.digest in self.request.avoid or any(other.text == patch.text for other in kept):
                continue
            if any(agreement.same(each.place, other) for other in (*places, *refuted)):
                continue
            patch = replace(
                patch,
                alike=agreement.alike(each.place),
                inputs=agreement.calls if each.place >= 0 else 0,
                unlike=agreement.differing(places[0], each.place) if places else "",
            )
            shown_enough = bool(kept) and time.monotonic() - began > _ALTERNATIVES_S
            if shown_enough or time.monotonic() - self.started > self.request.wall_s * 0.97:
                kept.append(patch)
                places.append(each.place)
                continue
            near = [*dict.fromkeys(test.split("::", 1)[0] for test in failing)]
            guards = warm.touching.get(key_of(each.candidate), near)[:_MOST_TESTS]
            seconds = 10.0 + 10 * sum(warm.seconds.get(test, 0.02) for test in [*failing, *guards])
            confirmed = self._confirmed(patch, each, guards, seconds)
            if confirmed is None:
                refuted.append(each.place)
                continue
            kept.append(confirmed)
            places.append(each.place)
        return kept

    def digest_of(self, found: Found) -> str:
        """Recognise an edit that was found."""
        name = self.files.relative(found.candidate.source.path)
        return digest(name, found.candidate.source.diff(found.candidate.edits, name))

    def _breaks_neighbours(self, candidate: Candidate, failing: Sequence[str]) -> bool:
        """Return whether an edit breaks tests that stand in the files of the failing ones."""
        path, fresh = candidate.source.path, self._fresh(2 * _TRIAL_S)
        files = list(dict.fromkeys(test.split("::", 1)[0] for test in failing))
        after = fresh.outcomes(path, candidate.source.edited(candidate.edits), files)
        suspects = [
            test for test, outcome in after.items() if outcome != PASSED and not is_one_of(test, failing)
        ]
        return bool(suspects) and self._breaks(path, fresh, suspects)

    def _confirmed(self, patch: Patch, found: Found, guards: Sequence[str], seconds: float) -> Patch | None:
        named = (*patch.cleared, *patch.remaining)
        path = found.candidate.source.path
        fresh = self._fresh(seconds)
        outcomes = fresh.outcomes(path, patch.text, [*named, *guards])
        cleared = tuple(test for test in named if all_passed(outcomes, test))
        suspects = [
            test for test, outcome in outcomes.items() if outcome != PASSED and not is_one_of(test, named)
        ]
        if not cleared or (suspects and self._breaks(path, fresh, suspects)):
            return None
        remaining = tuple(test for test in named if test not in cleared)
        checked = sum(outcome == PASSED for outcome in outcomes.values()) - len(cleared)
        return replace(patch, cleared=cleared, remaining=remaining, checked=max(0, checked), confirmed=True)

    @staticmethod
    def _breaks(path: str, fresh: Fresh, suspects: Sequence[str]) -> bool:
        """Return whether tests that fail with the patch pass without it, in a fresh process as well."""
        before = fresh.outcomes(path, None, suspects)
        return any(before.get(test) == PASSED for test in suspects)

    def _patch(self, found: Found, failing: tuple[str, ...]) -> Patch:
        candidate = found.candidate
        name = self.files.relative(candidate.source.path)
        diff = candidate.source.diff(candidate.edits, name)
        return Patch(
            file=name,
            line=candidate.line,
            template=candidate.template,
            diff=diff,
            text=candidate.source.edited(candidate.edits),
            size=candidate.size,
            score=round(candidate.score, 4),
            cleared=found.cleared,
            remaining=tuple(test for test in failing if test not in found.cleared),
            checked=found.checked,
            digest=digest(name, diff),
        )

    def _fresh(self, seconds: float) -> Fresh:
        return Fresh(self.request, Limits(self.request.memory_bytes, seconds), seconds, self.leads)


def all_passed(outcomes: dict[str, str], test: str) -> bool:
    """Return whether a test passed; a file or class that stands for its tests may hold skipped ones too."""
    if test in outcomes:
        return outcomes[test] == PASSED
    own = [outcome for each, outcome in outcomes.items() if is_one_of(each, (test,))]
    return PASSED in own and FAILED not in own
