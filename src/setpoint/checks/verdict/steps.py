"""Take the runs of a verdict one after the other: timed, kept by tree, and ended by the first failure."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from setpoint.checks.verdict.subject import Subject
from setpoint.checks.verdict.witness import Witness
from setpoint.model.evaluation import Stage
from setpoint.model.mutation import MutantShare
from setpoint.model.proof import Obligation, ObligationState, Vouched
from setpoint.model.value import Text, Value
from setpoint.system.files.atomic import write_atomic
from setpoint.system.processes import hold_identity
from setpoint.version import __version__

ObligationListener = Callable[[Obligation], None]
"""Is given what a run found as soon as it is known."""


class Found(Value):
    """What one run found."""

    obligations: tuple[Obligation, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    against: tuple[Text, ...] = ()
    """Tests of the base that the change contradicts, which nobody but the maker wants."""
    noticed: tuple[Text, ...] = ()
    """Changed functions that hidden tests notice when these are broken."""
    mutants: MutantShare | None = None

    @property
    def lasts(self) -> bool:
        """Whether it would be the same another time: what could not be measured may be tomorrow."""
        return all(each.state is not ObligationState.NOT_APPLICABLE for each in self.obligations)


@dataclass(frozen=True, kw_only=True)
class KeptRuns:
    """What runs found of one tree, kept for when the same is asked again."""

    folder: Path
    parts: tuple[str, ...]
    """All that decides what they find."""
    fresh: bool
    """Whether nothing is taken from here."""

    @classmethod
    def of(cls, subject: Subject, vouched: Vouched) -> KeptRuns:
        """Return where the runs of a subject are kept."""
        story = subject.task.story
        asked = (story.wish, story.kind or "", *story.acceptance, *story.may_change)
        tree = (subject.place.tree, subject.base.tree, subject.task.project.interpreter.fingerprint)
        terms = (subject.terms.model_dump_json(), vouched.model_dump_json())
        return cls(
            folder=subject.measuring.state / "cache" / "proof",
            parts=(__version__, *hold_identity(), *tree, *terms, *asked),
            fresh=subject.task.fresh or subject.place.stage is Stage.CONFIRM,
        )

    def get(self, name: str) -> Found | None:
        """Return what a run found; none where it was never kept, or written by another version."""
        if self.fresh:
            return None
        try:
            return Found.model_validate_json(self._path(name).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def keep(self, name: str, found: Found) -> None:
        """Keep what a run found."""
        if found.lasts:
            write_atomic(self._path(name), found.model_dump_json(), flush=False)

    def _path(self, name: str) -> Path:
        text = "\x1f".join((*self.parts, name)).encode("utf-8", "surrogateescape")
        key = hashlib.sha256(text).hexdigest()
        return self.folder / key[:2] / f"{key[2:]}.json"


@dataclass(kw_only=True)
class Steps:
    """Takes runs, and remembers what they found."""

    without: tuple[str, ...]
    """Names of runs that are switched off."""
    kept: KeptRuns
    told: ObligationListener
    made: list[Obligation] = field(default_factory=list, init=False)

    @property
    def failed(self) -> str:
        """Return the name of the first run that failed; empty where none did."""
        return next((each.name for each in self.made if each.state is ObligationState.NOT_MET), "")

    async def take(
        self, name: str, measure: Callable[[], Awaitable[Found]], estimate_s: float | None = None
    ) -> Found:
        """Take one run, unless it is known, switched off, or an earlier one failed."""
        found = await self._found(name, measure)
        for each in found.obligations:
            timed = each.model_copy(update={"estimate_s": estimate_s}) if estimate_s is not None else each
            self.made.append(timed)
            self.told(timed)
        return found

    async def _found(self, name: str, measure: Callable[[], Awaitable[Found]]) -> Found:
        if name in self.without:
            return _left_out(name, "switched off by the setting proof.without")
        if self.failed:
            return _left_out(name, f"not run, because '{self.failed}' failed first")
        if (known := self.kept.get(name)) is not None:
            return known
        began_s = time.monotonic()
        found = await measure()
        self.kept.keep(name, _timed(found, 0.0))
        return _timed(found, time.monotonic() - began_s)


def _timed(found: Found, seconds: float) -> Found:
    """Return what a run found with how long it took, under the first of its obligations."""
    first, *others = found.obligations or (None,)
    if first is None:
        return found
    timed = first.model_copy(update={"seconds": round(seconds, 2)})
    return found.model_copy(update={"obligations": (timed, *others)})


def _left_out(name: str, reason: str) -> Found:
    return Found(obligations=(Obligation(name=name, state=ObligationState.NOT_APPLICABLE, reason=reason),))
