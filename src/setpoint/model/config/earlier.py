"""Tables of settings that read, or ignore, what earlier versions knew, and say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import ModelWrapValidatorHandler, PrivateAttr, model_validator

from setpoint.model.value import Value


class EarlierKeys(Value):
    """A table that remembers which keys of earlier versions it was given."""

    outdated: ClassVar[Mapping[str, str]] = {}
    """Keys that are ignored, each with what to know about it."""
    _notices: tuple[str, ...] = PrivateAttr(default=())

    @property
    def notices(self) -> tuple[str, ...]:
        """Say which settings of earlier versions were read otherwise or ignored."""
        return self._notices

    @classmethod
    def today(cls, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the keys of today, and a note for each that was read otherwise or ignored."""
        kept = {key: value for key, value in given.items() if key not in cls.outdated}
        return kept, [note for key, note in cls.outdated.items() if key in given]

    @model_validator(mode="wrap")
    @classmethod
    def _of_earlier_versions(cls, given: Any, read: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - not checked yet
        if not isinstance(given, Mapping):
            return read(given)
        kept, notices = cls.today(given)
        made = read(kept)
        made._notices = tuple(notices)  # noqa: SLF001 - an instance of this class
        return made
