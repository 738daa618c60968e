"""A workflow as data: its phases, who plays them and where they send work back to."""

from __future__ import annotations

import re
from enum import StrEnum

from pydantic import Field, ValidationInfo, field_validator, model_validator

from setpoint.model.attempt import Role
from setpoint.model.evaluation import Stage
from setpoint.model.value import Value

KIND = re.compile(r"[a-z][a-z0-9-]{0,31}")
"""What a kind of review may be called."""


class PhaseKind(StrEnum):
    """What happens in a phase."""

    THINK = "think"
    """A role writes a text that later phases read: research, plan."""
    MAKE = "make"
    """The maker changes the work copy."""
    MEASURE = "measure"
    """Setpoint runs checks."""
    REVIEW = "review"
    """Reviewers judge the change."""
    DELIVER = "deliver"
    """The best state leaves the work copy."""


class Phase(Value):
    """One phase of a pipeline."""

    name: str
    kind: PhaseKind
    role: Role | None = None
    """Who plays it; only for think, make and review."""
    stage: Stage | None = None
    """How much is measured; only for measure."""
    prompts: dict[str, str] = {}
    """Prompt template by mode (`fresh`, `fix`, `restart`), for a review by its kind."""
    reviews: tuple[str, ...] = Field(default=(), validate_default=True)
    """Kinds of review, all asked at once; only for review, where none means `code` alone.

    The prompt of a kind that has none of its own is the one of `fresh`.
    """

    @field_validator("reviews")
    @classmethod
    def _reviewed_for_code(cls, reviews: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        return reviews or (("code",) if info.data.get("kind") is PhaseKind.REVIEW else ())


class Pipeline(Value):
    """A named order of phases."""

    name: str
    description: str = ""
    phases: tuple[Phase, ...]

    @model_validator(mode="after")
    def _complete(self) -> Pipeline:
        names = [phase.name for phase in self.phases]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            msg = f"phase names must differ; doubled: {', '.join(doubled)}"
            raise ValueError(msg)
        makers = [phase for phase in self.phases if phase.kind is PhaseKind.MAKE]
        if len(makers) != 1:
            msg = f"a pipeline has exactly one phase of kind 'make', this one has {len(makers)}"
            raise ValueError(msg)
        for phase in self.phases:
            if phase.kind in (PhaseKind.THINK, PhaseKind.MAKE, PhaseKind.REVIEW) and phase.role is None:
                msg = f"phase '{phase.name}' of kind '{phase.kind}' needs a role"
                raise ValueError(msg)
            _check_reviews(phase)
            if phase.kind is PhaseKind.MEASURE and phase.stage is None:
                msg = f"phase '{phase.name}' of kind 'measure' needs a stage"
                raise ValueError(msg)
        self._check_places()
        behind = self.behind_making()
        if not behind or behind[0].stage is not Stage.EVALUATE:
            msg = f"the phase behind '{makers[0].name}' must be of kind 'measure' with stage 'evaluate'"
            raise ValueError(msg)
        if not any(phase.stage is Stage.TEST for phase in behind):
            msg = "no phase of kind 'measure' with stage 'test': nothing could ever be verified"
            raise ValueError(msg)
        return self

    def _check_places(self) -> None:
        for phase in self.before_making():
            if phase.kind is not PhaseKind.THINK:
                raise ValueError(
                    f"phase '{phase.name}' stands before the making, so its kind must be 'think'"
                )
        for phase in self.behind_making():
            if phase.kind is PhaseKind.THINK:
                raise ValueError(f"phase '{phase.name}' of kind 'think' must stand before the making")
            if phase.kind is PhaseKind.MEASURE and phase.stage not in (Stage.EVALUATE, Stage.TEST):
                raise ValueError(f"phase '{phase.name}': a pipeline's stages are 'evaluate' and 'test'")

    @property
    def making(self) -> Phase:
        """The phase in which the work is made."""
        return next(phase for phase in self.phases if phase.kind is PhaseKind.MAKE)

    def before_making(self) -> tuple[Phase, ...]:
        """Phases that prepare the making, in order."""
        return self.phases[: self._place_of_making()]

    def behind_making(self) -> tuple[Phase, ...]:
        """Phases that judge what was made, in order."""
        return self.phases[self._place_of_making() + 1 :]

    def _place_of_making(self) -> int:
        return next(place for place, phase in enumerate(self.phases) if phase.kind is PhaseKind.MAKE)


def _check_reviews(phase: Phase) -> None:
    if phase.kind is not PhaseKind.REVIEW:
        if phase.reviews:
            raise ValueError(f"phase '{phase.name}' of kind '{phase.kind}' has no reviews")
        return
    if len(set(phase.reviews)) < len(phase.reviews):
        raise ValueError(f"phase '{phase.name}' names a kind of review twice")
    if wrong := [kind for kind in phase.reviews if not KIND.fullmatch(kind)]:
        raise ValueError(f"phase '{phase.name}': '{wrong[0]}' is no name of a review (a-z, 0-9, -)")
